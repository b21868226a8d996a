/** Modal dialogs, and the small ones beside a control. */
export const dialogSelector = '[role="dialog"][aria-modal="true"], [role="alertdialog"]'

interface Options {
  /** The user pressed Escape before the dialog was there. */
  readonly onEscape?: () => void
  /** When the dialog does not appear within this time, keys go to the page again. */
  readonly timeoutMs?: number
}

let stopCurrent: (() => void) | undefined

/**
 * Call this when a dialog is about to open: its code may still have to load, and its field does not have the focus yet.
 * Until the focus is inside the dialog, keys reach neither the page nor its shortcuts. Characters typed until then are
 * entered into the dialog's text field; Enter and other keys are dropped, so nothing is confirmed unseen.
 * Returns a function that stops waiting.
 */
export function captureKeysForDialog({ onEscape, timeoutMs = 10_000 }: Options = {}): () => void {
  stopCurrent?.()
  const origin = dialogAround(document.activeElement)
  let typed = ''

  const press = (event: KeyboardEvent) => {
    const isCombination = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState('AltGraph')
    if (isCombination || event.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') {
      stop()
      onEscape?.()
    } else if (event.key === 'Backspace') typed = typed.slice(0, -1)
    else if (event.key.length === 1) typed += event.key
  }
  const focus = ({ target }: FocusEvent) => {
    const dialog = dialogAround(target)
    if (!dialog || dialog === origin) return
    stop()
    if (typed !== '' && isTextField(target)) insertText(target, typed)
  }
  const stop = () => {
    clearTimeout(timer)
    window.removeEventListener('keydown', press, true)
    window.removeEventListener('focusin', focus)
    window.removeEventListener('pointerdown', stop, true)
    if (stopCurrent === stop) stopCurrent = undefined
  }
  window.addEventListener('keydown', press, true)
  window.addEventListener('focusin', focus)
  // A click means that the user no longer waits for the dialog.
  window.addEventListener('pointerdown', stop, true)
  const timer = setTimeout(stop, timeoutMs)
  stopCurrent = stop
  return stop
}

/** Ends the current capture: the dialog will not appear. */
export function stopKeyCapture(): void {
  stopCurrent?.()
}

function dialogAround(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest(dialogSelector) : null
}

function isTextField(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
  if (target instanceof HTMLTextAreaElement) return true
  return (
    target instanceof HTMLInputElement && ['text', 'search', 'email', 'url', 'tel', 'password'].includes(target.type)
  )
}

/** Inserts text as if it had been typed: replaces the selection and notifies React. */
function insertText(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  const [start, end] = [field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length]
  field.setRangeText(text, start, end, 'end')
  field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }))
}
