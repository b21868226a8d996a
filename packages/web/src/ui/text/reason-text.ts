import type { recognizeReason } from '@innkeeper/contract/errors/reasons'
import type { TFunction } from '../../i18n/i18n.tsx'

let recognize: typeof recognizeReason | undefined

/** Loads the reasons, which are not part of the first load. Until then they are shown in English. */
export async function loadReasons(): Promise<void> {
  recognize = (await import('@innkeeper/contract/errors/reasons')).recognizeReason
}

/**
 * The reason that a node gave in English, in the language of the user where it is in the catalog. A node joins those of
 * several targets of backups: `the disk is full; offsite: the target does not respond`.
 */
export function translateReason(t: TFunction, reason: string): string {
  const translate = (text: string) => findReason(t, text) ?? findReasonOfTarget(t, text)
  return (
    translate(reason) ??
    reason
      .split('; ')
      .map((part) => translate(part) ?? part)
      .join('; ')
  )
}

function findReason(t: TFunction, text: string): string | undefined {
  const known = recognize?.(text)
  if (!known) return undefined
  const { reason } = known.values
  const values = reason === undefined ? known.values : { ...known.values, reason: translateReason(t, reason) }
  return t(`reasons.${known.code}`, values)
}

/** A reason after the name of its target. */
function findReasonOfTarget(t: TFunction, text: string): string | undefined {
  const [, name = '', rest = ''] = /^([^;]*?): (.*)$/s.exec(text) ?? []
  const reason = findReason(t, rest)
  return reason && t('templates.Problem', { name, reason })
}
