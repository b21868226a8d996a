import {
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

/** Flags as SVG, by region of the locale. Languages are not countries: the name beside a flag carries the meaning. */
const flags: Readonly<Record<string, string>> = {
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
}

/** Regions of our locales that are no codes of countries. Mexico has the most speakers of Latin American Spanish. */
const countries: Readonly<Record<string, string>> = { SP: 'RS', '419': 'MX' }

/** The flag of a locale as the address of a picture. */
export function flagUrl(locale: string): string | undefined {
  const [, region = ''] = locale.split('_')
  const flag = flags[countries[region] ?? region]
  return flag && `data:image/svg+xml,${encodeURIComponent(flag)}`
}
