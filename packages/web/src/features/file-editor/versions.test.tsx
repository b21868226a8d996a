import { undo } from '@codemirror/commands'
import { EditorView } from '@codemirror/view'
import type { FileVersion } from '@innkeeper/contract/servers/trash'
import { limits } from '@innkeeper/contract/text/limits'
import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FilePanel, refuse } from '../../testing/file-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { FileEditor } from './file-editor.tsx'

// What the code editor asks of a browser and jsdom does not have.
Range.prototype.getClientRects = () => ({ length: 0, item: () => null, [Symbol.iterator]: () => [].values() })
Range.prototype.getBoundingClientRect = () => new DOMRect()

const path = 'plugins/config.yml'
const currentText = 'claims: 3\n'
let panel: FilePanel
/** What the node keeps, newest first. */
let versions: { readonly version: FileVersion; readonly text: string; readonly size?: number }[]
let listFails = false

const aVersion = (entry: string, text: string, more: Partial<FileVersion> = {}) => ({
  version: {
    entry: entry.padStart(16, '0'),
    bytes: text.length,
    savedAt: `2026-11-20T20:0${entry}:00Z`,
    reason: 'overwritten' as const,
    replacedAt: '2026-11-20T21:00:00Z',
    ...more,
  },
  text,
})

beforeEach(async () => {
  panel = await FilePanel.open()
  panel.put(path, currentText)
  listFails = false
  versions = [aVersion('2', 'claims: 2\n', { savedBy: 'ann' }), aVersion('1', 'claims: 1\r\n', { reason: 'deleted' })]
  panel.intercept = ({ url = '' }, response) => {
    if (url.includes('/versions/')) {
      if (listFails) refuse(response, 'ErrDisk')
      else
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ versions: versions.map((one) => one.version) }))
      return true
    }
    const found = versions.find(({ version }) => {
      return url.includes(`/trash/${version.entry}/file/${version.path?.slice(1) ?? path}`)
    })
    if (found) response.setHeader('etag', '"kept"').end(found.size ? Buffer.alloc(found.size) : found.text)
    return found !== undefined
  }
})
afterEach(() => panel.close())

async function open({ canWrite = true } = {}) {
  const onSaved = vi.fn()
  const editing = (
    <FileEditor server="lobby" path={path} canWrite={canWrite} onSaved={onSaved} onClose={() => undefined} />
  )
  const { user } = await openPart(editing, { panel: panel.withFiles() })
  const editor = await screen.findByRole('dialog', { name: `Editor: ${path}` })
  const content = await within(editor).findByRole('textbox', { name: 'Content of config.yml' })
  const view = EditorView.findFromDOM(content)
  if (!view) throw new Error('there is no code editor')
  const openVersions = async () => {
    await user.click(within(editor).getByRole('button', { name: 'Versions' }))
    return within(await screen.findByRole('dialog', { name: 'Versions of config.yml' }))
  }
  const getText = () => view.state.doc.toString()
  const edit = (text: string) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
  return { user, editor: within(editor), view, getText, edit, openVersions, onSaved }
}

const puts = () => panel.requests.filter((request) => request.startsWith('PUT'))

test('versions are listed with their authors, and compared with the text in the editor', async () => {
  const { user, edit, openVersions } = await open()
  edit('claims: 4\n')

  const dialog = await openVersions()
  const list = within(await dialog.findByRole('navigation', { name: 'Versions' }))
  const [newest, oldest] = list.getAllByRole('button')
  expect(newest?.textContent).toMatch(/2026.*ann.*10 B/)
  expect(oldest?.textContent).toMatch(/2026.*11 B · Deleted/)
  expect(newest?.getAttribute('aria-current')).toBe('true')
  expect((await dialog.findByRole('textbox', { name: 'In the editor' })).textContent).toContain('claims: 4')
  expect(dialog.getByRole('textbox', { name: /2026/ }).textContent).toContain('claims: 2')

  if (oldest) await user.click(oldest)
  await waitFor(() => expect(dialog.getByRole('textbox', { name: /2026/ }).textContent).toContain('claims: 1'))
  await user.click(dialog.getByRole('radio', { name: 'Preview' }))
  await waitFor(() => expect(dialog.queryByRole('textbox', { name: 'In the editor' })).toBeNull())
  expect((await dialog.findByRole('textbox', { name: /2026/ })).textContent).toContain('claims: 1')
})

test('a restored version is saved with its line endings, and an undo brings the unsaved text back', async () => {
  const { user, editor, view, getText, edit, openVersions, onSaved } = await open()
  edit('unsaved')
  const dialog = await openVersions()

  await user.click((await dialog.findAllByRole('button', { name: /2026/ }))[1] as HTMLElement)
  await user.click(await dialog.findByRole('button', { name: 'Restore' }))

  await waitFor(() => expect(panel.getText(path)).toBe('claims: 1\r\n'))
  expect(await screen.findByText('Restored config.yml')).toBeDefined()
  expect(onSaved).toHaveBeenCalledOnce()
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /^Versions/ })).toBeNull())
  expect(getText()).toBe('claims: 1\n')
  expect(editor.getByText('CRLF')).toBeDefined()
  expect(editor.queryByText('Modified')).toBeNull()
  undo(view)
  expect(getText()).toBe('unsaved')
})

test('a version does not overwrite a newer save without a confirmation', async () => {
  const { user, editor, getText, edit, openVersions } = await open()
  edit('unsaved')
  const dialog = await openVersions()
  await dialog.findByRole('button', { name: 'Restore' })
  panel.put(path, 'theirs')

  await user.click(dialog.getByRole('button', { name: 'Restore' }))
  expect(await editor.findByText('Another user changed this file')).toBeDefined()
  expect([panel.getText(path), getText()]).toEqual(['theirs', 'unsaved'])
  await user.click(editor.getByRole('button', { name: 'Overwrite' }))

  await waitFor(() => expect(panel.getText(path)).toBe('claims: 2\n'))
  await waitFor(() => expect(getText()).toBe('claims: 2\n'))
})

test('a version that equals the text in the editor says so', async () => {
  versions = [aVersion('1', currentText)]
  const { openVersions } = await open()

  const dialog = await openVersions()

  expect(await dialog.findByText('Both versions are identical.')).toBeDefined()
})

test('a file without versions shows how they come about', async () => {
  versions = []
  const { openVersions } = await open()

  const dialog = await openVersions()

  expect(await dialog.findByText('There are no earlier versions of this file.')).toBeDefined()
  expect(dialog.getByText(/^When a file is saved/)).toBeDefined()
})

test('a list that cannot be loaded, and a version that is gone, show an error with another try', async () => {
  listFails = true
  const { user, openVersions } = await open()
  const dialog = await openVersions()
  expect(await dialog.findByText('Could not load the versions')).toBeDefined()

  listFails = false
  const kept = versions
  await user.click(dialog.getByRole('button', { name: 'Try again' }))
  await dialog.findByRole('button', { name: 'Restore' })
  versions = []
  await user.click(dialog.getAllByRole('button', { name: /2026/ })[1] as HTMLElement)
  expect(await dialog.findByText('Failed loading file')).toBeDefined()
  expect(dialog.queryByRole('button', { name: 'Restore' })).toBeNull()

  versions = kept
  await user.click(dialog.getByRole('button', { name: 'Try again' }))
  expect(await dialog.findByRole('button', { name: 'Restore' })).toBeDefined()
})

test('a version of a renamed file shows the path that it had, and is read there', async () => {
  versions = [aVersion('1', 'claims: 1\n', { path: '/plugins/claims.yml' })]
  const { openVersions } = await open()

  const dialog = await openVersions()

  expect((await dialog.findByRole('button', { name: /2026/ })).textContent).toContain('/plugins/claims.yml')
  expect((await dialog.findByRole('textbox', { name: /2026/ })).textContent).toContain('claims: 1')
})

test('a version that is too large for the editor is not loaded', async () => {
  versions = [{ ...aVersion('1', ''), size: limits.editableFileBytes + 1 }]
  const { openVersions } = await open()

  const dialog = await openVersions()

  expect(await dialog.findByText(/^This file is too large to edit/)).toBeDefined()
  expect(dialog.queryByRole('button', { name: 'Restore' })).toBeNull()
})

test('without the permission to edit files, versions can be compared and not restored', async () => {
  const { openVersions } = await open({ canWrite: false })

  const dialog = await openVersions()

  expect(await dialog.findByRole('textbox', { name: 'In the editor' })).toBeDefined()
  expect(dialog.queryByRole('button', { name: 'Restore' })).toBeNull()
})

test('an unchanged text is not saved again', async () => {
  const { user, view, edit, editor } = await open()
  view.focus()

  await user.keyboard('{Control>}s{/Control}')
  edit('changed\n')
  await editor.findByText('Modified')
  await user.keyboard('{Control>}s{/Control}')
  await waitFor(() => expect(panel.getText(path)).toBe('changed\n'))

  expect(puts()).toHaveLength(1)
})
