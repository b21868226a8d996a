import { undo } from '@codemirror/commands'
import { EditorView } from '@codemirror/view'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { limits } from '@innkeeper/contract/text/limits'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FilePanel, refuse } from '../../testing/file-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { FileEditor } from './file-editor.tsx'

// What the code editor asks of a browser and jsdom does not have.
Range.prototype.getClientRects = () => ({ length: 0, item: () => null, [Symbol.iterator]: () => [].values() })
Range.prototype.getBoundingClientRect = () => new DOMRect()

const path = 'plugins/LandClaim/config.yml'
let panel: FilePanel
beforeEach(async () => {
  panel = await FilePanel.open()
  panel.put(path, 'version: 3\r\nclaims:\r\n  enabled: true\r\n')
})
afterEach(() => panel.close())

function Place({ canWrite, onSaved }: { canWrite: boolean; onSaved: () => void }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        config.yml
      </button>
      <button type="button" onClick={() => setIsOpen(false)}>
        end the session
      </button>
      {isOpen && (
        <FileEditor server="lobby" path={path} canWrite={canWrite} onSaved={onSaved} onClose={() => setIsOpen(false)} />
      )}
    </>
  )
}

async function openEditor({ canWrite = true, userId = 1 } = {}) {
  const onSaved = vi.fn()
  const asked = panel.withFiles()
  asked.respond(getSelf, { id: userId, username: 'mara', email: 'mara@example.net' })
  const { user, router } = await openPart(<Place canWrite={canWrite} onSaved={onSaved} />, { panel: asked })
  await user.click(screen.getByRole('button', { name: 'config.yml' }))
  const editor = await screen.findByRole('dialog', { name: `Editor: ${path}` })
  const code = async () => {
    const content = await within(editor).findByRole('textbox', { name: 'Content of config.yml' })
    const view = EditorView.findFromDOM(content)
    if (!view) throw new Error('there is no code editor')
    return view
  }
  /** Replaces the first place where a text stands, as typing would. */
  const edit = async (old: string, now: string) => {
    const view = await code()
    const from = view.state.doc.toString().indexOf(old)
    view.dispatch({ changes: { from, to: from + old.length, insert: now } })
    await within(editor).findByText('Modified')
  }
  const press = (name: string) => user.click(within(editor).getByRole('button', { name }))
  return { user, router, editor, code, edit, press, onSaved }
}

const isClosed = () => waitFor(() => expect(screen.queryByRole('dialog', { name: /^Editor/ })).toBeNull())

test('a saved file keeps its line endings and is sent with the version that was read', async () => {
  const { edit, press, editor, onSaved } = await openEditor()

  await edit('true', 'false')
  await press('Save')

  await waitFor(() => expect(panel.getText(path)).toBe('version: 3\r\nclaims:\r\n  enabled: false\r\n'))
  await waitFor(() => expect(within(editor).queryByText('Modified')).toBeNull())
  expect(await screen.findByText('Saved')).toBeDefined()
  expect(onSaved).toHaveBeenCalledOnce()
})

test('the status bar shows what the file is', async () => {
  const { editor, code } = await openEditor()
  await code()

  for (const fact of ['YAML', 'UTF-8', 'CRLF', '2 spaces', /^\d+(\.\d+)? B of 20 MiB$/, 'Line 1, column 1']) {
    expect(await within(editor).findByText(fact)).toBeDefined()
  }
})

test('two saves in a row both count from the version before', async () => {
  const { edit, press } = await openEditor()

  await edit('version: 3', 'version: 4')
  await press('Save')
  await waitFor(() => expect(panel.getText(path)).toContain('version: 4'))
  await edit('version: 4', 'version: 5')
  await press('Save')

  await waitFor(() => expect(panel.getText(path)).toContain('version: 5'))
})

test('Ctrl+S saves from inside the text', async () => {
  const { user, code, edit } = await openEditor()
  await edit('true', 'false')

  const view = await code()
  view.focus()
  await user.keyboard('{Control>}s{/Control}')

  await waitFor(() => expect(panel.getText(path)).toContain('enabled: false'))
})

test('saving over a newer version needs a confirmation', async () => {
  const { edit, press, editor } = await openEditor()
  await edit('true', 'false')
  panel.put(path, 'theirs\r\n')

  await press('Save')

  expect(await within(editor).findByText('Another user changed this file')).toBeDefined()
  expect(panel.getText(path)).toBe('theirs\r\n')

  await press('Overwrite')
  await waitFor(() => expect(panel.getText(path)).toContain('enabled: false'))
})

test('overwriting is over the version that was seen, not over a third one', async () => {
  const { edit, press, editor } = await openEditor()
  await edit('true', 'false')
  panel.put(path, 'second')
  await press('Save')
  await within(editor).findByText('Another user changed this file')
  panel.put(path, 'third')

  await press('Overwrite')

  await waitFor(() => expect(panel.requests.filter((asked) => asked.startsWith('GET'))).toHaveLength(3))
  expect(panel.getText(path)).toBe('third')
  expect(within(editor).getByText('Another user changed this file')).toBeDefined()
})

test('loading the version of the other user replaces the text, and one undo restores it', async () => {
  const { edit, press, editor, code } = await openEditor()
  await edit('true', 'false')
  panel.put(path, 'theirs')
  await press('Save')
  await within(editor).findByText('Another user changed this file')

  await press('Load their version')

  expect((await code()).state.doc.toString()).toBe('theirs')
  await waitFor(() => expect(within(editor).queryByText('Modified')).toBeNull())
  undo(await code())
  expect((await code()).state.doc.toString()).toContain('enabled: false')
})

test('both versions are shown beside each other', async () => {
  const { edit, press, editor } = await openEditor()
  await edit('true', 'false')
  panel.put(path, 'version: 3\r\nclaims:\r\n  enabled: maybe\r\n')
  await press('Save')
  await within(editor).findByText('Another user changed this file')

  await press('Compare')

  const dialog = await screen.findByRole('dialog', { name: 'Compare versions of config.yml' })
  expect((await within(dialog).findByRole('textbox', { name: 'On the server' })).textContent).toContain('maybe')
  expect(within(dialog).getByRole('textbox', { name: 'Yours' }).textContent).toContain('false')
})

test('saving a file that was deleted since needs a confirmation', async () => {
  const { edit, press, editor } = await openEditor()
  await edit('true', 'false')
  panel.files.delete(path)

  await press('Save')
  expect(await within(editor).findByText('Another user deleted this file')).toBeDefined()
  expect(panel.files.has(path)).toBe(false)
  await press('Save again')

  await waitFor(() => expect(panel.getText(path)).toContain('enabled: false'))
})

test('a save that fails keeps the editor open and shows why', async () => {
  const { edit, press, editor } = await openEditor()
  await edit('true', 'false')
  panel.intercept = ({ method }, response) => {
    if (method === 'PUT') refuse(response, 'ErrNoPermission')
    return method === 'PUT'
  }

  await press('Save')

  const alert = await within(editor).findByText(/^Failed saving: You do not have permission/)
  expect(alert.closest('[role="alert"]')).not.toBeNull()
  expect(within(editor).getByText('Modified')).toBeDefined()
})

test('text typed during a save stays unsaved, and Ctrl+S during a save sends nothing', async () => {
  const { edit, editor, user, code } = await openEditor()
  await edit('version: 3', 'version: 4')
  const { promise, resolve } = Promise.withResolvers<void>()
  panel.intercept = async ({ method }) => {
    if (method === 'PUT') await promise
    return false
  }
  await user.keyboard('{Control>}s{/Control}')
  await edit('true', 'false')
  await user.keyboard('{Control>}s{/Control}')

  resolve()

  await screen.findByText('Saved')
  await waitFor(() => expect(panel.getText(path)).toBe('version: 4\r\nclaims:\r\n  enabled: true\r\n'))
  expect(within(editor).getByText('Modified')).toBeDefined()
  expect((await code()).state.doc.toString()).toContain('enabled: false')
  expect(panel.requests.filter((asked) => asked.startsWith('PUT'))).toHaveLength(1)
})

test('saving with an unresolved conflict focuses it, and editing can go on', async () => {
  const { edit, press, editor, user } = await openEditor()
  await edit('true', 'false')
  panel.put(path, 'theirs')
  await press('Save')
  const alert = (await within(editor).findByText('Another user changed this file')).closest('[role="alert"]')

  await user.keyboard('{Control>}s{/Control}')
  expect(document.activeElement?.contains(alert)).toBe(true)
  await press('Keep editing')

  expect(within(editor).queryByText('Another user changed this file')).toBeNull()
  expect(within(editor).getByText('Modified')).toBeDefined()
  expect(panel.getText(path)).toBe('theirs')
})

test('a file that cannot be loaded shows an error with Try again', async () => {
  panel.intercept = ({ method }, response) => {
    if (method === 'GET') refuse(response, 'ErrDisk')
    return method === 'GET'
  }
  const { editor, code, press } = await openEditor()
  expect(await within(editor).findByText('Failed loading file')).toBeDefined()

  panel.intercept = () => false
  await press('Try again')

  expect((await code()).state.doc.line(1).text).toBe('version: 3')
})

test('closing without changes does not ask, and returns the focus', async () => {
  const { code, press } = await openEditor()
  await code()

  await press('Close')

  await isClosed()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'config.yml' }))
})

test('the second Esc in the code closes an editor without changes', async () => {
  const { code, user } = await openEditor()
  const view = await code()
  view.focus()

  await user.keyboard('{Escape}')
  expect(screen.getByRole('dialog', { name: `Editor: ${path}` })).toBeDefined()
  await user.keyboard('{Escape}')

  await isClosed()
})

test('Esc in the code does not close an editor with changes', async () => {
  const { edit, code, user, editor } = await openEditor()
  await edit('version: 3', 'version: 4')
  const view = await code()
  view.focus()

  await user.keyboard('{Escape}{Escape}{Escape}')

  expect(editor.isConnected).toBe(true)
  expect(screen.queryByRole('dialog', { name: 'Save changes to config.yml?' })).toBeNull()
})

test('closing with changes asks first; Save has the focus', async () => {
  const { edit, press, user } = await openEditor()
  await edit('version: 3', 'version: 4')
  await edit('true', 'false')

  await press('Close')
  const question = await screen.findByRole('dialog', { name: 'Save changes to config.yml?' })
  expect(within(question).getByText('You changed 2 lines. Closing now discards them.')).toBeDefined()
  await waitFor(() => expect(document.activeElement).toBe(within(question).getByRole('button', { name: 'Save' })))
  await user.keyboard('{Enter}')

  await isClosed()
  expect(panel.getText(path)).toBe('version: 4\r\nclaims:\r\n  enabled: false\r\n')
})

test('changes are discarded only after a confirmation', async () => {
  const { edit, press, user, editor } = await openEditor()
  await edit('true', 'false')

  await press('Close')
  await user.click(await screen.findByRole('button', { name: 'Keep editing' }))
  expect(within(editor).getByText('Modified')).toBeDefined()
  await press('Close')
  await user.click(await screen.findByRole('button', { name: 'Close without saving' }))

  await isClosed()
  expect(panel.getText(path)).toContain('enabled: true')
})

test('Back asks as closing does, also within the same page', async () => {
  const { edit, router, user } = await openEditor()
  await edit('true', 'false')

  void router.navigate('/?path=plugins')
  const question = await screen.findByRole('dialog', { name: 'Save changes to config.yml?' })
  expect(router.state.location.search).toBe('')
  await user.click(within(question).getByRole('button', { name: 'Close without saving' }))

  await waitFor(() => expect(router.state.location.search).toBe('?path=plugins'))
})

test('the browser asks before the window closes on changes', async () => {
  const isAsked = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  const { edit, press } = await openEditor()
  expect(isAsked()).toBe(false)

  await edit('true', 'false')
  expect(isAsked()).toBe(true)
  await press('Revert')

  await waitFor(() => expect(isAsked()).toBe(false))
})

test('unsaved text is restored after the session expired, and does not overwrite a newer version', async () => {
  const { edit, user } = await openEditor()
  await edit('true', 'false')

  fireEvent.click(screen.getByText('end the session'))
  await isClosed()
  panel.put(path, 'theirs')
  await user.click(screen.getByRole('button', { name: 'config.yml' }))

  const editor = await screen.findByRole('dialog', { name: `Editor: ${path}` })
  expect(await within(editor).findByText('Your unsaved changes were restored.')).toBeDefined()
  await user.click(within(editor).getByRole('button', { name: 'Save' }))
  expect(await within(editor).findByText('Another user changed this file')).toBeDefined()
  expect(panel.getText(path)).toBe('theirs')
})

test('unsaved text that was restored can be discarded for what is saved now', async () => {
  const { edit, user } = await openEditor()
  await edit('true', 'false')
  fireEvent.click(screen.getByText('end the session'))
  await isClosed()
  panel.put(path, 'theirs')
  await user.click(screen.getByRole('button', { name: 'config.yml' }))
  const editor = await screen.findByRole('dialog', { name: `Editor: ${path}` })

  await user.click(await within(editor).findByRole('button', { name: 'Discard' }))

  const content = await within(editor).findByRole('textbox', { name: 'Content of config.yml' })
  const view = EditorView.findFromDOM(content)
  expect(view?.state.doc.toString()).toBe('theirs')
  expect(within(editor).queryByText('Your unsaved changes were restored.')).toBeNull()
  view?.dispatch({ changes: { from: 0, insert: 'ours and ' } })
  await user.click(within(editor).getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(panel.getText(path)).toBe('ours and theirs'))
})

test('unsent commands of an expired session are shown to the same user only', async () => {
  const { edit } = await openEditor({ userId: 1 })
  await edit('true', 'false')
  fireEvent.click(screen.getByText('end the session'))
  await isClosed()
  cleanup()

  const other = await openEditor({ userId: 2 })
  const shownToOther = (await other.code()).state.doc.toString()
  cleanup()
  const same = await openEditor({ userId: 1 })

  expect(shownToOther).toContain('enabled: true')
  expect(await within(same.editor).findByText('Your unsaved changes were restored.')).toBeDefined()
  expect((await same.code()).state.doc.toString()).toContain('enabled: false')
})

test('discarded changes are not offered again', async () => {
  const { edit, press, user } = await openEditor()
  await edit('true', 'false')

  await press('Close')
  await user.click(await screen.findByRole('button', { name: 'Close without saving' }))
  await isClosed()
  await user.click(screen.getByRole('button', { name: 'config.yml' }))

  const editor = await screen.findByRole('dialog', { name: `Editor: ${path}` })
  const content = await within(editor).findByRole('textbox', { name: 'Content of config.yml' })
  expect(EditorView.findFromDOM(content)?.state.doc.toString()).toContain('enabled: true')
  expect(within(editor).queryByText('Your unsaved changes were restored.')).toBeNull()
})

test('a file that is too large for the editor shows a message and is not loaded', async () => {
  panel.put(path, new Uint8Array(limits.editableFileBytes + 1))
  const { editor } = await openEditor()

  expect(
    await within(editor).findByText('This file is too large to edit (max 20 MiB). Download it instead.'),
  ).toBeDefined()
})

test('without the permission to change files the text is read-only', async () => {
  const { editor, code } = await openEditor({ canWrite: false })

  expect((await code()).state.readOnly).toBe(true)
  expect(within(editor).getByText('View only')).toBeDefined()
  expect(within(editor).queryByRole('button', { name: 'Save' })).toBeNull()
})

test('a binary file is shown read-only with the reason', async () => {
  panel.put(path, Uint8Array.of(0x00, 0xff, 0xfe, 0x0a))
  const { editor, code } = await openEditor()

  expect((await code()).state.readOnly).toBe(true)
  expect(within(editor).getByText(/This is not a text file/)).toBeDefined()
})

test('a file in another encoding keeps every byte that was not edited, and rejects characters that it cannot encode', async () => {
  panel.put(path, Uint8Array.of(0x63, 0x61, 0x66, 0xe9, 0x80, 0x0a))
  const { edit, press, editor } = await openEditor()

  await edit('caf', '漢af')
  await press('Save')
  expect(await within(editor).findByText(/cannot store one of the characters/)).toBeDefined()
  await edit('漢af', 'CAF')
  await press('Save')

  const written = () => [...(panel.files.get(path)?.bytes ?? [])]
  await waitFor(() => expect(written()).toEqual([0x43, 0x41, 0x46, 0xe9, 0x80, 0x0a]))
})
