import type { Step } from '@innkeeper/contract/definitions/operations'

/** A change of an `editconfig` step while it is edited; it may have other fields. */
export type ConfigChangeDraft = Readonly<Record<string, unknown>>

/** The changes of a step; what is not a change is ignored. */
export function getChanges({ changes }: Step): readonly ConfigChangeDraft[] {
  return Array.isArray(changes) ? changes.filter((one) => typeof one === 'object' && one !== null) : []
}

/** Sets a field of a change. A number and a boolean keep their type while the text is one. */
export function setChangeText(
  change: ConfigChangeDraft,
  name: 'path' | 'value' | 'when',
  text: string,
): ConfigChangeDraft {
  const draft = name === 'path' ? { value: '', ...change } : change
  if (name === 'when' && text === '') {
    const { when: _, ...others } = draft
    return others
  }
  return { ...draft, [name]: typedAs(draft[name], text) }
}

function typedAs(current: unknown, text: string): unknown {
  if (typeof current === 'number' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text)) return Number(text)
  if (typeof current === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true'
  return text
}
