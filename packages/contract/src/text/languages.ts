/** The languages of the product. */
export const languages = [
  'ar_SA',
  'cs_CZ',
  'da_DK',
  'de_DE',
  'el_GR',
  'en_US',
  'es_419',
  'es_ES',
  'et_EE',
  'fi_FI',
  'fr_FR',
  'he_IL',
  'hu_HU',
  'id_ID',
  'it_IT',
  'ja_JP',
  'ko_KR',
  'lt_LT',
  'nl_NL',
  'no_NO',
  'pl_PL',
  'pt_BR',
  'pt_PT',
  'ro_RO',
  'ru_RU',
  'sk_SK',
  'sr_SP',
  'sv_SE',
  'tr_TR',
  'uk_UA',
  'vi_VN',
  'zh_CN',
  'zh_HK',
  'zh_TW',
] as const
export type Language = (typeof languages)[number]

/** The default language. */
export const defaultLanguage: Language = 'en_US'

/** The user setting that stores the selected language. */
export const languageSetting = 'language'

export function isLanguage(text: string): text is Language {
  return (languages as readonly string[]).includes(text)
}

/** The BCP 47 tag of a language: `en-US`. */
export function getTag(language: string): string {
  // This product family uses the nonstandard region `SP` for Serbia.
  return language === 'sr_SP' ? 'sr-RS' : language.replace('_', '-')
}

const rightToLeft: ReadonlySet<string> = new Set(['ar', 'he', 'fa', 'ur'])

/** Text direction of a language. */
export const getDirection = (language: string): 'ltr' | 'rtl' =>
  rightToLeft.has(language.split('_')[0] ?? '') ? 'rtl' : 'ltr'

/**
 * The best supported language for a list of tags in order of preference: an exact region, else the same script, else
 * the same language. `undefined` when none is supported.
 */
export function closestLanguage<L extends string>(tags: readonly string[], offered: readonly L[]): L | undefined {
  const places = offered.map((language) => ({ language, place: findPlace(getTag(language)) }))
  for (const tag of tags) {
    const requested = findPlace(tag)
    if (!requested) continue
    const sameLanguage = places.filter(({ place }) => place?.language === requested.language)
    const sameScript = sameLanguage.filter(({ place }) => place?.script === requested.script)
    const candidates = sameScript.length > 0 ? sameScript : sameLanguage
    const found =
      candidates.find(({ place }) => place?.region === requested.region) ??
      candidates.find(({ place }) => place?.region === elsewhere[requested.language]) ??
      candidates[0]
    if (found) return found.language
  }
  return undefined
}

/** Fallbacks for regions without separate texts: Mexico uses Latin American Spanish. */
const elsewhere: Readonly<Record<string, string>> = { es: '419', pt: 'PT' }
/** Both Norwegian languages, treated as one. */
const norwegian: readonly string[] = ['nb', 'nn']

/** Language, script and region of a tag, with likely subtags added; `undefined` for an invalid tag. */
function findPlace(tag: string): { language: string; script?: string; region?: string } | undefined {
  try {
    const { language, script, region } = new Intl.Locale(tag).maximize()
    return {
      language: norwegian.includes(language) ? 'no' : language,
      ...(script === undefined ? {} : { script }),
      ...(region === undefined ? {} : { region }),
    }
  } catch {
    // Browsers may send anything, for example `*`.
    return undefined
  }
}

/** Isolates a value for a text of a right-to-left language, so that its letters do not change the order of the others. */
export const isolate = (value: string, language: string): string =>
  value !== '' && getDirection(language) === 'rtl' ? `\u2068${value}\u2069` : value
