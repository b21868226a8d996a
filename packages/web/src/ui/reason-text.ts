import { recognizeReason } from '@innkeeper/contract/reasons'
import type { TFunction } from '../i18n/i18n.tsx'

/** The reason that a node gave in English, in the language of the user where it is in the catalog. */
export function translateReason(t: TFunction, reason: string): string {
  const known = recognizeReason(reason)
  return known ? t(`reasons.${known.code}`, known.values) : reason
}
