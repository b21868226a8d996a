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

/** The language of those who chose none. */
export const defaultLanguage: Language = 'en_US'

/** The user setting that keeps what a person chose. */
export const languageSetting = 'language'

export function isLanguage(text: string): text is Language {
  return (languages as readonly string[]).includes(text)
}

/** The tag that browsers, mail programs and `Intl` know a language by: `en-US`. */
export function tagOf(language: string): string {
  // `SP` stands for Serbia in this family of products, and nowhere else.
  return language === 'sr_SP' ? 'sr-RS' : language.replace('_', '-')
}

const rightToLeft: ReadonlySet<string> = new Set(['ar', 'he', 'fa', 'ur'])

/** Which way a language is written. */
export const directionOf = (language: string): 'ltr' | 'rtl' =>
  rightToLeft.has(language.split('_')[0] ?? '') ? 'rtl' : 'ltr'

/**
 * The offered language for the first of these tags that has one: of its region, else as its script and region have it
 * most alike. `undefined` when none of them is offered.
 */
export function closestLanguage<L extends string>(tags: readonly string[], offered: readonly L[]): L | undefined {
  const places = offered.map((language) => ({ language, place: placeOf(tagOf(language)) }))
  for (const tag of tags) {
    const wanted = placeOf(tag)
    if (!wanted) continue
    const spoken = places.filter(({ place }) => place?.language === wanted.language)
    const alike = spoken.filter(({ place }) => place?.script === wanted.script)
    const near = alike.length > 0 ? alike : spoken
    const found =
      near.find(({ place }) => place?.region === wanted.region) ??
      near.find(({ place }) => place?.region === elsewhere[wanted.language]) ??
      near[0]
    if (found) return found.language
  }
  return undefined
}

/** What is closest for regions that have no texts of their own: Mexico reads the Spanish of Latin America. */
const elsewhere: Readonly<Record<string, string>> = { es: '419', pt: 'PT' }
/** Both ways to write Norwegian, as one language. */
const norwegian: readonly string[] = ['nb', 'nn']

/** Language, script and region of a tag, with what it does not say filled in; `undefined` for what is no tag. */
function placeOf(tag: string): { language: string; script?: string; region?: string } | undefined {
  try {
    const { language, script, region } = new Intl.Locale(tag).maximize()
    return {
      language: norwegian.includes(language) ? 'no' : language,
      ...(script === undefined ? {} : { script }),
      ...(region === undefined ? {} : { region }),
    }
  } catch {
    // People's browsers send what they like, `*` for one.
    return undefined
  }
}
