import { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  type Catalog,
  getCatalogTemplate,
  importTemplate,
  listCatalog,
  uploadTemplate,
} from '@innkeeper/contract/templates/catalog'
import { getTemplate, listTemplates } from '@innkeeper/contract/templates/templates'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
// Loaded when they are first opened; here they are there already.
import './import-screen.tsx'
import '../../features/definition-editor/json-editor.tsx'
import '../../features/compare/compare-view.tsx'

const environments = [{ type: 'standard' }]
const entry = { type: 'game', supportedEnvironments: environments, source: 'bundled' as const, warnings: [] }
const catalog: Catalog = {
  entries: [
    { ...entry, name: 'chess', display: 'Chess', state: 'changed', source: 'index' },
    { ...entry, name: 'draughts', display: 'Draughts', state: 'new', readme: '# How to jump' },
    {
      ...entry,
      name: 'go',
      display: 'Go',
      state: 'new',
      warnings: [
        { reason: 'x', code: 'ErrMissingFactory', metadata: { type: 'fly', step: 1, field: 'install.0.type' } },
      ],
    },
    { ...entry, name: 'mill', display: 'Mill', state: 'same' },
  ],
  problems: [
    { name: 'old', reason: 'x', code: 'ErrOldTemplate', metadata: {} },
    { name: 'bad', reason: 'In words', code: 'ErrOfTomorrow', metadata: {} },
  ],
}
const chess = { type: 'game', name: 'chess', data: {}, run: { command: 'mine' }, supportedEnvironments: environments }

function panel(): FakePanel {
  const panel = new FakePanel()
  panel.respond(listCatalog, catalog)
  panel.respond(importTemplate, undefined)
  panel.respond(getTemplate, chess)
  panel.respond(getCatalogTemplate, { ...chess, run: { command: 'theirs' } })
  panel.respond(uploadTemplate, undefined)
  panel.respond(listTemplates, [{ name: 'chess', type: 'game', supportedEnvironments: environments, servers: 0 }])
  return panel
}
const as = ['templates.view', 'templates.edit']
const open = async (fakePanel = panel()) => {
  const app = await openApp('/importtemplates', { as, panel: fakePanel })
  await screen.findByText('Draughts')
  return app
}
const click = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

function drop(name: string, content: string): void {
  const dataTransfer = { types: ['Files'], files: [new File([content], name)] }
  fireEvent.drop(screen.getByLabelText('Filter by name or type'), { dataTransfer })
}

test('the catalog can be searched and shows states, readmes and problems', async () => {
  await open()

  expect(screen.getByText('Update available')).toBeTruthy()
  expect(screen.getAllByText('Games')).toHaveLength(4)
  expect(screen.getByText('old: This template is in the 1.x format. Upload the file to convert it.')).toBeTruthy()
  expect(screen.getByText('bad: In words')).toBeTruthy()
  expect(screen.getByText("install.0.type: There is no step of type 'fly'")).toBeTruthy()
  click('Readme of Draughts')
  expect(await screen.findByRole('heading', { name: 'How to jump' })).toBeTruthy()
  fireEvent.change(screen.getByLabelText('Filter by name or type'), { target: { value: 'mil' } })
  expect(screen.queryByText('Draughts')).toBeNull()
  expect(screen.getByText('Up to date')).toBeTruthy()
})

test('all new templates are imported at once, and a failed one is named', async () => {
  const failing = panel()
  failing.respond(importTemplate, ({ path }) =>
    path.endsWith('/go') ? new Refusal('ErrDuplicateTemplateName') : undefined,
  )
  const { panel: usedPanel } = await open(failing)

  click('Import all 2 new')

  expect(await screen.findByText('go was not imported: A template with this ID already exists')).toBeTruthy()
  expect(await screen.findByText('Imported 1 template')).toBeTruthy()
  const sent = usedPanel.requests(importTemplate).map(({ path, headers }) => [path, headers.get('if-none-match')])
  expect(sent).toEqual([
    ['/api/templates/import/draughts', '*'],
    ['/api/templates/import/go', '*'],
  ])
})

test('a modified template is overwritten only after its changes were shown', async () => {
  const { panel: usedPanel } = await open()

  click('See changes in Chess')
  const dialog = await screen.findByRole('dialog', { name: 'Changes in Chess' })
  await within(dialog).findByText('After import')
  expect(usedPanel.requests(importTemplate)).toEqual([])
  fireEvent.click(await within(dialog).findByRole('button', { name: 'Overwrite' }))

  await waitFor(() =>
    expect(usedPanel.requests(importTemplate).map(({ path }) => path)).toEqual(['/api/templates/import/chess']),
  )
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('a dropped file is saved under its name, and invalid JSON shows its position', async () => {
  const { panel: usedPanel } = await open()

  drop('broken.json', '{\n  "type": oops\n}')
  const broken = await screen.findByRole('dialog', { name: 'Template from broken.json' })
  expect(await within(broken).findByText('Invalid JSON (line 2, column 11)')).toBeTruthy()
  fireEvent.click(within(broken).getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  drop('Mine.json', '{"type":"game","odd":[1]}')
  fireEvent.click(await screen.findByRole('button', { name: 'Save template' }))

  await waitFor(() => expect(usedPanel.requests(uploadTemplate)).toHaveLength(1))
  const [sent] = usedPanel.requests(uploadTemplate)
  expect([sent?.path, sent?.body]).toEqual(['/api/catalog/templates/mine', { type: 'game', odd: [1], name: 'mine' }])
  expect(sent?.headers.get('if-none-match')).toBe('*')
})

test('an egg in YAML is converted and saved, and invalid YAML shows its position', async () => {
  const { panel: usedPanel } = await open()

  drop('broken.yaml', 'meta:\n  version: [PLCN_v3\nname: x\n')
  const broken = await screen.findByRole('dialog', { name: 'Template from broken.yaml' })
  expect(await within(broken).findByText(/^Invalid YAML \(line 3, column \d+\)$/)).toBeTruthy()
  fireEvent.click(within(broken).getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  drop(
    'egg-halma.yaml',
    'meta:\n  version: PLCN_v3\nname: Halma\nstartup_commands:\n  Default: ./halma\nvariables: {  }\nconfig:\n  startup:\n    done: "regex:(?=x)"\n  files:\n    level.dat:\n      parser: nbt\n      find: { a: "1" }\n',
  )
  expect(
    await screen.findByText(/^This file is a Pterodactyl or Pelican egg.*a node with Docker or Podman\.$/),
  ).toBeTruthy()
  const notes = within(screen.getByRole('region', { name: 'Not converted' })).getAllByRole('listitem')
  expect(notes.map(({ textContent }) => textContent)).toEqual([
    'The file has no image: add one',
    'level.dat is not changed before the server starts',
    'The ready pattern is not supported: the server is online as soon as it runs',
  ])
  fireEvent.click(screen.getByRole('button', { name: 'Convert and save' }))

  await waitFor(() => expect(usedPanel.requests(uploadTemplate)).toHaveLength(1))
  const [sent] = usedPanel.requests(uploadTemplate)
  expect(sent?.path).toBe('/api/catalog/templates/halma')
  expect(sent?.body).toMatchObject({ run: { command: './halma' } })
})

test('a file that cannot run yet shows why, keeps its own ID, and can be saved', async () => {
  const { panel: usedPanel } = await open()

  drop('mytpl.json', '{"type":"game","name":"imported-one","data":{"a b":{}},"environment":{"type":"vm"}}')
  const dialog = within(await screen.findByRole('dialog'))
  expect(await dialog.findByText('data.a b: Variable name cannot be empty or contain spaces')).toBeTruthy()
  expect(dialog.getByText("environment.type: There is no environment of type 'vm'")).toBeTruthy()
  fireEvent.click(dialog.getByRole('button', { name: 'Save template' }))

  await waitFor(() =>
    expect(usedPanel.requests(uploadTemplate).map(({ path }) => path)).toEqual(['/api/catalog/templates/imported-one']),
  )
})

test('a 1.x file shows what is not converted, and an existing ID shows the changes', async () => {
  const { panel: usedPanel } = await open()

  drop('x.json', '{"pufferd":{"type":"game","display":"Chess","install":{"commands":[{"type":"fly"}]},"run":{}}}')
  const dialog = await screen.findByRole('dialog')
  const notes = within(await within(dialog).findByRole('region', { name: 'Not converted' }))
  expect(notes.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'The file has no start command: add one',
    'The file has no environment: the standard environment is used',
    'install[0] has the unknown type “fly”. The step is kept but fails when it runs.',
  ])
  await within(dialog).findByRole('button', { name: 'Overwrite' })
  fireEvent.change(within(dialog).getByLabelText(/^ID/), { target: { value: 'chess 2' } })
  expect(within(dialog).getByText(/An ID starts with/)).toBeTruthy()
  fireEvent.change(within(dialog).getByLabelText(/^ID/), { target: { value: 'chess-2' } })
  fireEvent.click(within(dialog).getByRole('button', { name: 'Convert and save' }))

  await waitFor(() =>
    expect(usedPanel.requests(uploadTemplate).map(({ path }) => path)).toEqual(['/api/catalog/templates/chess-2']),
  )
})

test('an ID that another user has taken is reported at its field, and the dialog shows the changes before it overwrites', async () => {
  const { panel: usedPanel, user } = await open()
  usedPanel.respond(listTemplates, [])
  drop('chess.json', '{"type":"game","run":{"command":"theirs"}}')
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByRole('button', { name: 'Save template' })
  usedPanel.respond(uploadTemplate, new Refusal('ErrDuplicateTemplateName'))
  usedPanel.respond(listTemplates, [{ name: 'chess', type: 'game', supportedEnvironments: environments, servers: 0 }])

  await user.click(dialog.getByLabelText(/^ID/))
  await user.keyboard('{Control>}s{/Control}')

  expect(await dialog.findByText('A template with this ID already exists')).toBeTruthy()
  await dialog.findByText('After import')
  usedPanel.respond(uploadTemplate, undefined)
  await user.click(dialog.getByRole('button', { name: 'Overwrite' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(usedPanel.requests(uploadTemplate).map(({ headers }) => headers.get('if-none-match'))).toEqual(['*', null])
})

test('closing the dialog of a file asks about an ID that was typed', async () => {
  const { panel: usedPanel, user } = await open()
  drop('mine.json', '{"type":"game"}')
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(await dialog.findByLabelText(/^ID/), '-2')

  await user.click(dialog.getByRole('button', { name: 'Cancel' }))

  const asking = within(await screen.findByRole('dialog', { name: 'Leave without saving?' }))
  await user.click(asking.getByRole('button', { name: 'Cancel' }))
  expect(dialog.getByLabelText<HTMLInputElement>(/^ID/).value).toBe('mine-2')
  expect(usedPanel.requests(uploadTemplate)).toEqual([])
})

test('users who may only view templates cannot import', async () => {
  await openApp('/importtemplates', { as: ['templates.view'], panel: panel() })

  expect(await screen.findByRole('heading', { name: 'Import templates' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Upload a file' })).toBeNull()
})
