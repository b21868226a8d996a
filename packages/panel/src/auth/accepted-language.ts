import { closestLanguage, type Language, languages } from '@innkeeper/contract/text/languages'
import Negotiator from 'negotiator'

const maxHeaderLength = 500

/** The preferred supported language of an `Accept-Language` header; `undefined` when there is none. */
export function acceptedLanguage(header = ''): Language | undefined {
  const negotiator = new Negotiator({ headers: { 'accept-language': header.slice(0, maxHeaderLength) } })
  return closestLanguage(negotiator.languages(), languages)
}
