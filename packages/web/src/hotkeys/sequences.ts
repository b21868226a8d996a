import { dialogSelector } from '../ui/type-ahead.ts'

/** What a key press means to the sequences that are known. */
export type SequenceMatch =
  | { readonly status: 'nothing' }
  /** The keys so far begin at least one sequence. */
  | { readonly status: 'waiting'; readonly pressed: readonly string[] }
  | { readonly status: 'complete'; readonly keys: string }

/**
 * Adds a key to those pressed already. A key that leads nowhere starts over with itself. Keys that are complete and also
 * begin a longer sequence are complete at once, unless they are among the `patient` ones: those wait for the next key.
 */
export function matchSequence(
  pressed: readonly string[],
  key: string,
  known: readonly string[],
  patient: readonly string[] = [],
): SequenceMatch {
  const keys = [...pressed, key]
  const typed = keys.join(' ')
  const canGoOn = known.some((sequence) => sequence.startsWith(`${typed} `))
  if (known.includes(typed) && !(canGoOn && patient.includes(typed))) return { status: 'complete', keys: typed }
  if (canGoOn) return { status: 'waiting', pressed: keys }
  return pressed.length > 0 ? matchSequence([], key, known, patient) : { status: 'nothing' }
}

/** The key that a press stands for: the typed character, or the physical key where the layout has no Latin letters. */
export function normalizeKey({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  const isForeignLetter = key.length === 1 && key.charCodeAt(0) > 0x7f && /^Key[A-Z]$/.test(code)
  return isForeignLetter ? code.slice(3).toLowerCase() : key.length === 1 ? key.toLowerCase() : key
}

/** Whether the press belongs to something else: typing, a dialog or menu in front, a combination, a held key. */
export function shouldIgnoreKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing || event.defaultPrevented)
    return true
  if (document.querySelector(dialogSelector)) return true
  const target = event.target
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.closest('[role="menu"], [role="listbox"], .xterm')) return true
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'submit'].includes(target.type)
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}
