import type { Template } from '@innkeeper/contract/definitions/definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getTemplate, listTemplates, putTemplate } from '@innkeeper/contract/templates/templates'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
// Loaded when they are first opened; here they are there already.
import './add-template-screen.tsx'
import './template-editor.tsx'
import './template-screen.tsx'

const chess = {
  odd: { kept: true },
  type: 'game',
  name: 'chess',
  display: 'Chess',
  data: { port: { type: 'integer', value: '25565' }, motd: { value: 'Hi' } },
  install: [{ type: 'mkdir', target: 'maps', to: 'moon' }],
  run: { stopCode: 2, command: 'chess' },
  environment: { type: 'standard' },
  supportedEnvironments: [{ type: 'standard' }],
}

function panel(): FakePanel {
  const panel = new FakePanel()
  // As it is on the wire: what the schema makes of it is another matter.
  panel.respond(getTemplate, chess as unknown as Template)
  panel.respond(putTemplate, undefined)
  panel.respond(listTemplates, [
    { name: 'chess', display: 'Chess', type: 'game', supportedEnvironments: [], servers: 0 },
  ])
  return panel
}
const editor = ['templates.view', 'templates.edit']

/** Types all at once: letter by letter the whole editor is drawn for each. */
function fillCommand(value: string): void {
  fireEvent.change(screen.getByLabelText('Command', textarea), { target: { value } })
}
const textarea = { selector: 'textarea' }
const click = (name: string) => fireEvent.click(screen.getByText(name, { selector: 'button *, label, label *' }))

test('edits are saved, and unknown properties are preserved', async () => {
  const { panel: usedPanel } = await openApp('/template/chess', { as: editor, panel: panel() })
  await screen.findByLabelText('Command', textarea)

  fillCommand('chess --hard')
  click('Add variable')
  expect(screen.getByText('Unsaved changes in Run')).toBeTruthy()
  click('Save template')

  await waitFor(() => expect(usedPanel.requests(putTemplate)).toHaveLength(1))
  const body = JSON.stringify(usedPanel.requests(putTemplate)[0]?.body)
  expect(body).toBe(JSON.stringify({ ...chess, run: { stopCode: 2, command: 'chess --hard' } }))
  await waitFor(() => expect(screen.queryByText('Unsaved changes in Run')).toBeNull())
})

test('the constraints of text variables can be edited', async () => {
  const { panel: usedPanel } = await openApp('/template/chess', { as: editor, panel: panel() })
  await screen.findByLabelText('Command', textarea)

  click('motd')
  const fields = within(screen.getByRole('group', { name: 'motd' }))
  fireEvent.click(fields.getByLabelText('Multiple lines'))
  fireEvent.change(fields.getByLabelText('Default', textarea), { target: { value: 'one\ntwo' } })
  fireEvent.change(fields.getByLabelText('Forbidden characters'), { target: { value: '?"' } })
  fireEvent.change(fields.getByLabelText('Maximum length'), { target: { value: '20' } })
  fireEvent.change(fields.getByLabelText('Pattern', textarea), { target: { value: '(' } })
  expect(fields.getByText(/Invalid regular expression/)).toBeTruthy()
  fireEvent.change(fields.getByLabelText('Pattern', textarea), { target: { value: '^\\w' } })
  click('Save template')

  await waitFor(() => expect(usedPanel.requests(putTemplate)).toHaveLength(1))
  expect(usedPanel.requests(putTemplate)[0]?.body).toMatchObject({
    data: { motd: { value: 'one\ntwo', multiline: true, forbiddenCharacters: '?"', maxLength: 20, pattern: '^\\w' } },
  })
})

test('the limits of number variables are saved as numbers', async () => {
  const { panel: usedPanel } = await openApp('/template/chess', { as: editor, panel: panel() })
  await screen.findByLabelText('Command', textarea)

  click('port')
  const fields = within(screen.getByRole('group', { name: 'port' }))
  fireEvent.change(fields.getByLabelText('Minimum'), { target: { value: '1024' } })
  fireEvent.change(fields.getByLabelText('Maximum'), { target: { value: 'many' } })
  expect(fields.getByText('Maximum must be a whole number')).toBeTruthy()
  fireEvent.change(fields.getByLabelText('Maximum'), { target: { value: '' } })
  click('Save template')

  await waitFor(() => expect(usedPanel.requests(putTemplate)).toHaveLength(1))
  expect(usedPanel.requests(putTemplate)[0]?.body).toMatchObject({ data: { port: { min: 1024 } } })
  expect(usedPanel.requests(putTemplate)[0]?.body).not.toHaveProperty('data.port.max')
})

test('a boolean variable may have values of its own for on and off', async () => {
  const fake = panel()
  fake.respond(getTemplate, { ...chess, data: { pvp: { type: 'boolean', value: false } } } as unknown as Template)
  const { panel: usedPanel } = await openApp('/template/chess', { as: editor, panel: fake })
  await screen.findByLabelText('Command', textarea)

  click('pvp')
  const fields = within(screen.getByRole('group', { name: 'pvp' }))
  fireEvent.change(fields.getByLabelText('Value when on'), { target: { value: '1' } })
  fireEvent.change(fields.getByLabelText('Value when off'), { target: { value: '0' } })
  fireEvent.click(fields.getByRole('switch', { name: 'Default' }))
  click('Save template')

  await waitFor(() => expect(usedPanel.requests(putTemplate)).toHaveLength(1))
  expect(usedPanel.requests(putTemplate)[0]?.body).toMatchObject({
    data: { pvp: { value: '1', trueValue: '1', falseValue: '0' } },
  })
})

test('a variable name with a space is an error that prevents saving', async () => {
  await openApp('/template/chess', { as: editor, panel: panel() })
  await screen.findByLabelText('Command', textarea)

  click('port')
  fireEvent.change(within(screen.getByRole('group', { name: 'port' })).getByLabelText(/^Name/), {
    target: { value: 'the port' },
  })

  expect(screen.getAllByText('Variable name cannot be empty or contain spaces')).toHaveLength(1)
  expect(screen.getByText('Variables, the port: Variable name cannot be empty or contain spaces')).toBeTruthy()
  expect(screen.getByText('Save template').closest('button')?.disabled).toBe(true)
})

test('an invalid ready pattern is shown at its field and prevents saving', async () => {
  const { panel: usedPanel } = await openApp('/template/chess', { as: editor, panel: panel() })
  const field = await screen.findByLabelText('Ready pattern')

  fireEvent.change(field, { target: { value: 'Done (' } })
  const { id } = screen.getByText('Invalid regular expression: missing closing ): `Done (`')
  const described = field.getAttribute('aria-describedby')
  const listed = screen.getByText('Run: Invalid regular expression: missing closing ): `Done (`')
  const isKept = screen.getByText('Save template').closest('button')?.disabled
  fireEvent.change(field, { target: { value: 'Done \\(' } })
  click('Save template')

  expect(described?.split(' ')).toContain(id)
  expect(listed).toBeDefined()
  expect(isKept).toBe(true)
  await waitFor(() => expect(usedPanel.requests(putTemplate)).toHaveLength(1))
  expect(usedPanel.requests(putTemplate)[0]?.body).toMatchObject({ run: { ...chess.run, readyPattern: 'Done \\(' } })
})

test('problems are listed with their section and prevent saving', async () => {
  const wrong = { ...chess, install: [{ type: 'teleport' }], run: { stopCode: 65 }, environment: { type: 'vm' } }
  const fakePanel = panel()
  fakePanel.respond(getTemplate, wrong as unknown as Template)
  await openApp('/template/chess', { as: editor, panel: fakePanel })
  await screen.findByLabelText('Command', textarea)

  for (const line of [
    "Install, step 1: There is no step of type 'teleport'",
    'Shutdown: run.stopCode must be between 1 and 64',
    "Environments: There is no environment of type 'vm'",
  ])
    expect(screen.getByText(line)).toBeTruthy()
  fillCommand('chess')
  expect(screen.getByText('Save template').closest('button')?.disabled).toBe(true)
})

test('a template that the panel rejects shows an error and keeps the edits', async () => {
  const refusing = panel()
  refusing.respond(putTemplate, new Refusal('ErrFieldInvalid', { field: 'run' }))
  await openApp('/template/chess', { as: editor, panel: refusing })
  await screen.findByLabelText('Command', textarea)

  fillCommand('mine')
  click('Save template')

  expect(await screen.findByText('The json data is invalid: run is invalid')).toBeTruthy()
  expect((screen.getByLabelText('Command', textarea) as HTMLTextAreaElement).value).toBe('mine')
})

test('users who may only view templates get a read-only view', async () => {
  await openApp('/template/chess', { as: ['templates.view'], panel: panel() })

  fireEvent.click(await screen.findByRole('button', { name: 'View only' }))
  expect((await screen.findByRole('dialog')).textContent).toBe(
    'Ask an administrator for the permission “Edit templates”.',
  )
  expect(screen.getByText(/"mkdir"/)).toBeTruthy()
  expect(screen.queryByText('Add variable')).toBeNull()
})

test('environments are shown by name in the list, and categories too on the page of a template', async () => {
  const fakePanel = panel()
  fakePanel.respond(listTemplates, [
    {
      name: 'chess',
      display: 'Chess',
      type: 'minecraft-java',
      supportedEnvironments: [{ type: 'standard' }],
      servers: 0,
    },
    { name: 'go', display: 'Go', type: 'odd', supportedEnvironments: [{ type: 'of tomorrow' }], servers: 0 },
  ])
  const { router } = await openApp('/template', { as: ['templates.view'], panel: fakePanel })

  const readRow = async (name: string) => (await screen.findByRole('link', { name })).closest('tr')?.textContent
  expect(await readRow('Chess')).toBe('ChesschessNot used')
  expect(await readRow('Go')).toBe('Gogoof tomorrowNot used')
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'java edition' } })
  expect(screen.queryByRole('link', { name: 'Go' })).toBeNull()
  await act(() => router.navigate('/template/chess'))
  expect(await screen.findByText('Games')).toBeTruthy()
  expect(screen.getByText('Standard')).toBeTruthy()
})

test('the editor of a template shows its category by name', async () => {
  await openApp('/template/chess', { as: editor, panel: panel() })
  await screen.findByLabelText('Command', textarea)

  for (const text of ['Games', 'chess'])
    expect(screen.getByText(text, { selector: '.mantine-Badge-label, .mantine-Badge-label *' })).toBeTruthy()
})

test('a new template has the generic category', async () => {
  const { panel: usedPanel } = await openApp('/addtemplate', { as: editor, panel: panel() })

  fireEvent.change(await screen.findByLabelText('Display name'), { target: { value: 'Hard Chess' } })
  click('Create template')

  await waitFor(() => expect(usedPanel.requests(putTemplate)).toHaveLength(1))
  expect(usedPanel.requests(putTemplate)[0]?.body).toMatchObject({ type: 'generic', environment: { type: 'standard' } })
})

test('a copy gets another ID, and a duplicate ID is shown at its field', async () => {
  const copying = panel()
  copying.respond(putTemplate, new Refusal('ErrDuplicateTemplateName'))
  const { panel: usedPanel, path } = await openApp('/addtemplate?from=chess', { as: editor, panel: copying })

  fireEvent.change(await screen.findByLabelText('Display name'), { target: { value: 'Hard Chess' } })
  click('Create template')
  expect(await screen.findByText('A template with this ID already exists')).toBeTruthy()
  copying.respond(putTemplate, undefined)
  fireEvent.change(screen.getByLabelText(/^ID/), { target: { value: 'chess-2' } })
  click('Create template')

  await waitFor(() => expect(path()).toBe('/template/chess-2'))
  expect(usedPanel.requests(putTemplate).map(({ path, body }) => [path, body])).toEqual([
    ['/api/templates/hard-chess', { ...chess, name: 'hard-chess', display: 'Hard Chess' }],
    ['/api/templates/chess-2', { ...chess, name: 'chess-2', display: 'Hard Chess' }],
  ])
})
