import { dialogSelector } from './key-capture.ts'

/** The result of a key press. */
export type SequenceMatch =
  | { readonly status: 'nothing' }
  /** The keys so far are the start of at least one sequence. */
  | { readonly status: 'waiting'; readonly pressed: readonly string[] }
  | { readonly status: 'complete'; readonly keys: string }

/**
 * Matches the keys pressed so far and one more against known sequences. A key that matches no sequence starts over with
 * itself. Keys that are complete and also begin a longer sequence are complete at once, unless they are in
 * `waitingSequences`: those wait for the next key.
 */
export function matchSequence(
  pressed: readonly string[],
  key: string,
  known: readonly string[],
  waitingSequences: readonly string[] = [],
): SequenceMatch {
  const keys = [...pressed, key]
  const typed = keys.join(' ')
  const canGoOn = known.some((sequence) => sequence.startsWith(`${typed} `))
  if (known.includes(typed) && !(canGoOn && waitingSequences.includes(typed)))
    return { status: 'complete', keys: typed }
  if (canGoOn) return { status: 'waiting', pressed: keys }
  return pressed.length > 0 ? matchSequence([], key, known, waitingSequences) : { status: 'nothing' }
}

/** The key of an event: the typed character, or the physical key where the layout has no Latin letters. */
export function normalizeKey({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  const isForeignLetter = key.length === 1 && key.charCodeAt(0) > 0x7f && /^Key[A-Z]$/.test(code)
  return isForeignLetter ? code.slice(3).toLowerCase() : key.length === 1 ? key.toLowerCase() : key
}

/** Whether a key press is not part of a sequence: typing, an open dialog or menu, a combination, a repeated key. */
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
