import * as images from './flag-images.ts'

const flags: ReadonlyMap<string, string> = new Map(Object.entries(images))

/** Regions of our locales that are no codes of countries. Mexico has the most speakers of Latin American Spanish. */
const countries: Readonly<Record<string, string>> = { SP: 'RS', '419': 'MX' }

/** The flag of a locale as the address of a picture. */
export function flagUrl(locale: string): string | undefined {
  const [, region = ''] = locale.split('_')
  const flag = flags.get(countries[region] ?? region)
  return flag && `data:image/svg+xml,${encodeURIComponent(flag)}`
}
