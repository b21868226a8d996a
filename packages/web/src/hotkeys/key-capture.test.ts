import { userEvent } from '@testing-library/user-event'
import { expect, onTestFinished, test } from 'vitest'
import { captureKeysForDialog } from './key-capture.ts'

/** A dialog with a field and a button, which is not on the page yet. */
function makeDialog() {
  const dialog = document.createElement('div')
  dialog.setAttribute('role', 'dialog')
  dialog.setAttribute('aria-modal', 'true')
  const field = document.createElement('input')
  dialog.append(field)
  onTestFinished(() => dialog.remove())
  return { dialog, field }
}

test('text typed while a dialog loads goes into its field, and Enter does not confirm a dialog that is not shown yet', async () => {
  const user = userEvent.setup()
  const { dialog, field } = makeDialog()
  const heard: string[] = []
  const listen = ({ key }: KeyboardEvent) => heard.push(key)
  document.addEventListener('keydown', listen)
  onTestFinished(() => document.removeEventListener('keydown', listen))

  captureKeysForDialog()
  await user.keyboard('lobbx{Backspace}y{Enter}')
  document.body.append(dialog)
  field.focus()
  await user.keyboard('!')

  expect(field.value).toBe('lobby!')
  expect(heard).toEqual(['!'])
})

test('Escape while a dialog loads cancels it', async () => {
  const user = userEvent.setup()
  const { dialog, field } = makeDialog()
  let escapes = 0

  captureKeysForDialog({ onEscape: () => escapes++ })
  await user.keyboard('lobby{Escape}')
  document.body.append(dialog)
  field.focus()

  expect([escapes, field.value]).toEqual([1, ''])
})
