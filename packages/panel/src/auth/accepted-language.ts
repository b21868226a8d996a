import { closestLanguage, type Language, languages } from '@innkeeper/contract/languages'

const readMost = 500

/** The preferred supported language of an `Accept-Language` header; `undefined` when there is none. */
export function acceptedLanguage(header = ''): Language | undefined {
  const preferences = header
    .slice(0, readMost)
    .split(',')
    .map((wish) => {
      const [tag = '', ...more] = wish.split(';').map((part) => part.trim())
      const weight = more.find((part) => part.startsWith('q='))?.slice(2) ?? '1'
      return { tag, weight: Number(weight) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
  return closestLanguage(
    preferences.map(({ tag }) => tag),
    languages,
  )
}
