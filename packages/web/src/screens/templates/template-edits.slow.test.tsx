import { EditorView } from '@codemirror/view'
import type { Template } from '@innkeeper/contract/definitions/definition'
import {
  type CatalogEntry,
  getCatalogTemplate,
  importTemplate,
  listCatalog,
} from '@innkeeper/contract/templates/catalog'
import { getTemplate, listTemplates, putTemplate } from '@innkeeper/contract/templates/templates'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
// Loaded when they are first opened; here they are there already.
import '../../features/compare/compare-view.tsx'
import '../../features/definition-editor/json-editor.tsx'
import './template-editor.tsx'
import './template-screen.tsx'

// What CodeMirror measures and jsdom does not have.
Range.prototype.getClientRects = () => ({ length: 0, item: () => null, [Symbol.iterator]: () => [].values() })
Range.prototype.getBoundingClientRect = () => new DOMRect()

const chess = { type: 'game', name: 'chess', display: 'Chess', data: {}, install: [], run: { command: 'chess' } }

async function openTemplate(template: object = chess, entries: CatalogEntry[] = []) {
  const panel = new FakePanel()
  panel.respond(listCatalog, { entries, problems: [] })
  const there = { template, version: 1 }
  panel.respond(getTemplate, () => there.template as Template)
  panel.respond(putTemplate, ({ body }) => {
    there.template = body as object
    there.version += 1
    return undefined
  })
  panel.setVersion(getTemplate, putTemplate, () => String(there.version))
  panel.respond(listTemplates, [])
  const app = await openApp('/template/chess', { as: ['templates.view', 'templates.edit'], panel })
  await screen.findByLabelText('Command', { selector: 'textarea' })
  return { ...app, panel, there }
}
const command = () => screen.getByLabelText<HTMLTextAreaElement>('Command', { selector: 'textarea' })
const type = (value: string) => fireEvent.change(command(), { target: { value } })

/** The JSON on the screen, and a way to type into it. */
async function jsonView(): Promise<EditorView> {
  const view = await waitFor(() => {
    const content = screen.getByRole('textbox', { name: 'JSON' })
    return EditorView.findFromDOM(content)
  })
  if (!view) throw new Error('there is no editor')
  return view
}
function replaceIn(view: EditorView, from: string, to: string): void {
  const at = view.state.doc.toString().indexOf(from)
  act(() => view.dispatch({ changes: { from: at, to: at + from.length, insert: to } }))
}

test('Discard removes edits from the JSON, and the next key does not bring them back', async () => {
  const { user } = await openTemplate()
  await user.click(screen.getByText('JSON'))
  replaceIn(await jsonView(), '"Chess"', '"Draughts"')

  await user.click(await screen.findByRole('button', { name: 'Discard' }))

  const view = await jsonView()
  expect(view.state.doc.toString()).toContain('"Chess"')
  replaceIn(view, '"game"', '"games"')
  expect((await jsonView()).state.doc.toString()).not.toContain('Draughts')
})

test('loading the version of another user shows it in the JSON', async () => {
  const { user, there } = await openTemplate()
  await user.click(screen.getByText('JSON'))
  replaceIn(await jsonView(), '"Chess"', '"Mine"')
  there.template = { ...chess, display: 'Theirs' }
  there.version = 2
  await user.click(await screen.findByRole('button', { name: 'Save template' }))

  await user.click(await screen.findByRole('button', { name: 'Load their version' }))

  await waitFor(async () => expect((await jsonView()).state.doc.toString()).toContain('"Theirs"'))
  expect((await jsonView()).state.doc.toString()).not.toContain('"Mine"')
})

test('a conflict shows both versions', async () => {
  const { user, there } = await openTemplate()
  type('chess --mine')
  there.template = { ...chess, display: 'Theirs' }
  there.version = 2
  await user.click(screen.getByRole('button', { name: 'Save template' }))

  await user.click(await screen.findByRole('button', { name: 'Compare' }))

  const dialog = await screen.findByRole('dialog', { name: 'Compare versions of chess' })
  expect((await within(dialog).findByRole('textbox', { name: 'On the server' })).textContent).toContain('Theirs')
  expect(within(dialog).getByRole('textbox', { name: 'Yours' }).textContent).toContain('chess --mine')
})

test('overwriting is over the version that was shown, not over a third one', async () => {
  const { user, there } = await openTemplate()
  type('chess --mine')
  there.template = { ...chess, display: 'Second' }
  there.version = 2
  await user.click(screen.getByRole('button', { name: 'Save template' }))
  const overwrite = await screen.findByRole('button', { name: 'Overwrite' })
  there.template = { ...chess, display: 'Third' }
  there.version = 3

  await user.click(overwrite)

  await user.click(await screen.findByRole('button', { name: 'Compare' }))
  const dialog = await screen.findByRole('dialog', { name: 'Compare versions of chess' })
  expect((await within(dialog).findByRole('textbox', { name: 'On the server' })).textContent).toContain('Third')
  await user.click(within(dialog).getByRole('button', { name: 'Overwrite' }))
  await waitFor(() => expect(there.template).toMatchObject({ run: { command: 'chess --mine' }, display: 'Chess' }))
})

test('Ctrl+S focuses a conflict that is not resolved, and saves afterwards', async () => {
  const { user, panel, there } = await openTemplate()
  type('chess --mine')
  there.version = 2
  await user.keyboard('{Control>}s{/Control}')
  const alert = await screen.findByRole('alert')

  await user.keyboard('{Control>}s{/Control}')

  expect(document.activeElement?.contains(alert)).toBe(true)
  expect(panel.requests(putTemplate)).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Load their version' }))
  type('chess --hard')
  await user.keyboard('{Control>}s{/Control}')
  await screen.findByText('Saved')
  expect(there.template).toMatchObject({ run: { command: 'chess --hard' } })
})

test('leaving with unsaved changes asks first', async () => {
  const { user, router } = await openTemplate()
  type('chess --hard')

  act(() => void router.navigate('/template'))
  await user.click(await screen.findByRole('button', { name: 'Cancel' }))
  expect(router.state.location.pathname).toBe('/template/chess')

  act(() => void router.navigate('/template'))
  await user.click(await screen.findByRole('button', { name: 'Discard changes' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/template'))
})

test('a restored draft of an older version is shown with the newer one before it is saved', async () => {
  const first = await openTemplate()
  type('chess --hard')
  await waitFor(() => expect(Object.values(sessionStorage).join()).toContain('--hard'))
  act(() => void first.router.dispose())
  document.body.innerHTML = ''

  const { user, panel } = await openTemplate({ ...chess, display: 'Theirs' })
  const offer = await screen.findByText('You have unsaved changes from an earlier session.')
  await user.click(within(offer.closest('[role]') as HTMLElement).getByRole('button', { name: 'Restore' }))
  await screen.findByText(/Someone else changed this definition/)
  await user.click(screen.getByRole('button', { name: 'Save template' }))
  expect(panel.requests(putTemplate)).toEqual([])

  await user.click(screen.getByRole('button', { name: 'Load their version' }))

  expect(command().value).toBe('chess')
})

test('edits made during a save stay, in the form and as JSON', async () => {
  const { user, panel, there } = await openTemplate()
  type('chess --hard')
  let end = panel.pause(putTemplate)
  await user.click(screen.getByRole('button', { name: 'Save template' }))
  type('chess --harder')
  end()
  await screen.findByText('Saved')
  expect(command().value).toBe('chess --harder')
  expect(screen.getByText('Unsaved changes in Run')).toBeTruthy()

  await user.click(screen.getByText('JSON'))
  end = panel.pause(putTemplate)
  await user.click(screen.getByRole('button', { name: 'Save template' }))
  replaceIn(await jsonView(), '"Chess"', '"Draughts"')
  end()

  await waitFor(() => expect(there.template).toMatchObject({ run: { command: 'chess --harder' }, display: 'Chess' }))
  await screen.findByText('Unsaved changes in General')
  expect((await jsonView()).state.doc.toString()).toContain('"Draughts"')
})

test('unsaved changes of a template are offered after the session expired', async () => {
  const first = await openTemplate()
  type('chess --hard')
  await waitFor(() => expect(Object.values(sessionStorage).join()).toContain('--hard'))
  act(() => void first.router.dispose())
  document.body.innerHTML = ''

  const { user } = await openTemplate()
  const offer = await screen.findByText('You have unsaved changes from an earlier session.')
  await user.click(within(offer.closest('[role]') as HTMLElement).getByRole('button', { name: 'Restore' }))

  expect(command().value).toBe('chess --hard')
})

test('incomplete JSON is kept when the session expires', async () => {
  const first = await openTemplate()
  await first.user.click(screen.getByText('JSON'))
  replaceIn(await jsonView(), '"Chess"', '"Draughts"')
  await waitFor(() => expect(Object.values(sessionStorage).join()).toContain('Draughts'))
  replaceIn(await jsonView(), '"Draughts"', '"Draughts')
  act(() => void first.router.dispose())
  document.body.innerHTML = ''

  const { user } = await openTemplate()
  const offer = await screen.findByText('You have unsaved changes from an earlier session.')
  await user.click(within(offer.closest('[role]') as HTMLElement).getByRole('button', { name: 'Restore' }))

  expect((await jsonView()).state.doc.toString()).toContain('"display": "Draughts,')
})

test('an update of the template is compared and imported from its page', async () => {
  const entry = { name: 'chess', display: 'Chess', type: 'game', supportedEnvironments: [], warnings: [] }
  const { user, panel, there } = await openTemplate(chess, [{ ...entry, source: 'bundled', state: 'changed' }])
  const updated = { ...chess, run: { command: 'chess --new' } }
  panel.respond(getCatalogTemplate, updated as unknown as Template)
  panel.respond(importTemplate, () => {
    there.template = updated
    there.version += 1
    return undefined
  })

  await user.click(await screen.findByRole('button', { name: 'See changes in Chess' }))
  await user.click(await screen.findByRole('button', { name: 'Overwrite' }))

  await waitFor(() => expect(command().value).toBe('chess --new'))
})
