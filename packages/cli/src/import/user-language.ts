import { defaultLanguage, isLanguage, type Language, languages } from '@innkeeper/contract/text/languages'

/**
 * The language for one of another panel, as in `de`, `pt-BR` or `de_DE`. English is the default of other panels, and so
 * no choice of the user: they get the language of their browser.
 */
export function findLanguage(text: string, note: (text: string) => void): Language | undefined {
  const [code = '', region = ''] = text.trim().split(/[-_]/)
  const [lower, upper] = [code.toLowerCase(), region.toUpperCase()]
  if (lower === '' || lower === 'en') return undefined
  const candidates = [`${lower}_${upper}`, `${lower}_${lower.toUpperCase()}`]
  const found = candidates.find(isLanguage) ?? languages.find((language) => language.startsWith(`${lower}_`))
  if (found === undefined || found === defaultLanguage) note(`the language ${text} does not exist here`)
  return found
}
