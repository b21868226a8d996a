const flags: ReadonlyMap<string, string> = new Map(Object.entries(images))

/** Regions of our locales that are no codes of countries. Mexico has the most speakers of Latin American Spanish. */
const countries: Readonly<Record<string, string>> = { SP: 'RS', '419': 'MX' }

/** The flag of a locale as the address of a picture. */
export function flagUrl(locale: string): string | undefined {
  const [, region = ''] = locale.split('_')
  const flag = flags.get(countries[region] ?? region)
  return flag && `data:image/svg+xml,${encodeURIComponent(flag)}`
}

/** Flags as SVG, by the region of a locale. Languages are not countries: the name beside a flag carries the meaning. */
export {
  BR,
  CN,
  CZ,
  DE,
  DK,
  EE,
  ES,
  FI,
  FR,
  GR,
  HK,
  HU,
  ID,
  IL,
  IT,
  JP,
  KR,
  LT,
  MX,
  NL,
  NO,
  PL,
  PT,
  RO,
  RS,
  RU,
  SA,
  SE,
  SK,
  TR,
  TW,
  UA,
  US,
  VN,
} from 'country-flag-icons/string/3x2'
