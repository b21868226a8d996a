import type { Template } from '@innkeeper/contract/definition'
import { Refusal } from '@innkeeper/contract/refusals'
import { getTemplate, listTemplates, putTemplate } from '@innkeeper/contract/templates'
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
  panel.answer(getTemplate, chess as unknown as Template)
  panel.answer(putTemplate, undefined)
  panel.answer(listTemplates, [{ name: 'chess', display: 'Chess', type: 'game', supportedEnvironments: [] }])
  return panel
}
const editor = ['templates.view', 'templates.edit']

/** Types all at once: letter by letter the whole editor is drawn for each. */
function fillCommand(value: string): void {
  fireEvent.change(screen.getByLabelText('Command', textarea), { target: { value } })
}
const textarea = { selector: 'textarea' }
const click = (name: string) => fireEvent.click(screen.getByText(name, { selector: 'button *, label, label *' }))

test('what is edited is saved, and everything else goes back as it came', async () => {
  const { panel: asked } = await openApp('/template/chess', { as: editor, panel: panel() })
  await screen.findByLabelText('Command', textarea)

  fillCommand('chess --hard')
  click('Add variable')
  expect(screen.getByText('Unsaved changes in Run')).toBeTruthy()
  click('Save template')

  await waitFor(() => expect(asked.asked(putTemplate)).toHaveLength(1))
  const body = JSON.stringify(asked.asked(putTemplate)[0]?.body)
  expect(body).toBe(JSON.stringify({ ...chess, run: { stopCode: 2, command: 'chess --hard' } }))
  await waitFor(() => expect(screen.queryByText('Unsaved changes in Run')).toBeNull())
})

test('what values of a variable may hold is part of its fields', async () => {
  const { panel: asked } = await openApp('/template/chess', { as: editor, panel: panel() })
  await screen.findByLabelText('Command', textarea)

  click('motd')
  const fields = within(screen.getByRole('group', { name: 'motd' }))
  fireEvent.click(fields.getByLabelText('Several lines'))
  fireEvent.change(fields.getByLabelText('Default', textarea), { target: { value: 'one\ntwo' } })
  fireEvent.change(fields.getByLabelText('Characters that a value must not have'), { target: { value: '?"' } })
  click('Save template')

  await waitFor(() => expect(asked.asked(putTemplate)).toHaveLength(1))
  expect(asked.asked(putTemplate)[0]?.body).toMatchObject({
    data: { motd: { value: 'one\ntwo', multiline: true, forbiddenCharacters: '?"' } },
  })
})

test('the numbers that fit a variable are bounded in its fields, and kept as numbers', async () => {
  const { panel: asked } = await openApp('/template/chess', { as: editor, panel: panel() })
  await screen.findByLabelText('Command', textarea)

  click('port')
  const fields = within(screen.getByRole('group', { name: 'port' }))
  fireEvent.change(fields.getByLabelText('Least number'), { target: { value: '1024' } })
  fireEvent.change(fields.getByLabelText('Greatest number'), { target: { value: 'many' } })
  expect(fields.getByText('Greatest number must be a whole number')).toBeTruthy()
  fireEvent.change(fields.getByLabelText('Greatest number'), { target: { value: '' } })
  click('Save template')

  await waitFor(() => expect(asked.asked(putTemplate)).toHaveLength(1))
  expect(asked.asked(putTemplate)[0]?.body).toMatchObject({ data: { port: { min: 1024 } } })
  expect(asked.asked(putTemplate)[0]?.body).not.toHaveProperty('data.port.max')
})

test('a variable with a blank in its name keeps the template from being saved, and says why', async () => {
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

test('a ready pattern that is none is told at its field and keeps the template from being saved; a right one is kept', async () => {
  const { panel: asked } = await openApp('/template/chess', { as: editor, panel: panel() })
  const field = await screen.findByLabelText('Ready pattern')

  fireEvent.change(field, { target: { value: 'Done (' } })
  const { id } = screen.getByText('This is not a pattern: missing closing ): `Done (`')
  const described = field.getAttribute('aria-describedby')
  const listed = screen.getByText('Run: This is not a pattern: missing closing ): `Done (`')
  const isKept = screen.getByText('Save template').closest('button')?.disabled
  fireEvent.change(field, { target: { value: 'Done \\(' } })
  click('Save template')

  expect(described?.split(' ')).toContain(id)
  expect(listed).toBeDefined()
  expect(isKept).toBe(true)
  await waitFor(() => expect(asked.asked(putTemplate)).toHaveLength(1))
  expect(asked.asked(putTemplate)[0]?.body).toMatchObject({ run: { ...chess.run, readyPattern: 'Done \\(' } })
})

test('what cannot run is named in its part, and keeps the template from being saved', async () => {
  const wrong = { ...chess, install: [{ type: 'teleport' }], run: { stopCode: 65 }, environment: { type: 'vm' } }
  const given = panel()
  given.answer(getTemplate, wrong as unknown as Template)
  await openApp('/template/chess', { as: editor, panel: given })
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

test('a template that the panel does not take is called invalid, and nothing is lost', async () => {
  const refusing = panel()
  refusing.answer(putTemplate, new Refusal('ErrFieldInvalid', { field: 'run' }))
  await openApp('/template/chess', { as: editor, panel: refusing })
  await screen.findByLabelText('Command', textarea)

  fillCommand('mine')
  click('Save template')

  expect(await screen.findByText('The json data is invalid')).toBeTruthy()
  expect((screen.getByLabelText('Command', textarea) as HTMLTextAreaElement).value).toBe('mine')
})

test('who may only view templates sees one, and nothing to change it with', async () => {
  await openApp('/template/chess', { as: ['templates.view'], panel: panel() })

  expect(await screen.findByText('View only')).toBeTruthy()
  expect(screen.getByText(/"mkdir"/)).toBeTruthy()
  expect(screen.queryByText('Add variable')).toBeNull()
})

test('categories and environments of templates are shown by name, in the list and on the page of a template', async () => {
  const given = panel()
  const environments = [{ type: 'standard' }, { type: 'tty' }, { type: 'of tomorrow' }]
  given.answer(listTemplates, [
    { name: 'chess', display: 'Chess', type: 'minecraft-java', supportedEnvironments: environments },
    { name: 'go', display: 'Go', type: 'odd', supportedEnvironments: [] },
  ])
  const { router } = await openApp('/template', { as: ['templates.view'], panel: given })

  const row = within((await screen.findByRole('link', { name: 'Chess' })).closest('li') as HTMLElement)
  expect(row.getByText('Minecraft: Java Edition')).toBeTruthy()
  for (const name of ['Standard', 'Terminal (tty)', 'of tomorrow']) expect(row.getByText(name)).toBeTruthy()
  expect(screen.getByText('odd')).toBeTruthy()
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'java edition' } })
  expect(screen.queryByRole('link', { name: 'Go' })).toBeNull()
  await act(() => router.navigate('/template/chess'))
  expect(await screen.findByText('Other games')).toBeTruthy()
  expect(screen.getByText('Standard')).toBeTruthy()
})

test('the editor of a template shows its category by name', async () => {
  await openApp('/template/chess', { as: editor, panel: panel() })
  await screen.findByLabelText('Command', textarea)

  const tag = screen.getByText('chess', { selector: 'span *, span' }).closest('[class*="tags"]') as HTMLElement

  expect(tag.textContent).toBe('Other gameschess')
})

test('a new template is of the category of everything else', async () => {
  const { panel: asked } = await openApp('/addtemplate', { as: editor, panel: panel() })

  fireEvent.change(await screen.findByLabelText('Display name'), { target: { value: 'Hard Chess' } })
  click('Create template')

  await waitFor(() => expect(asked.asked(putTemplate)).toHaveLength(1))
  expect(asked.asked(putTemplate)[0]?.body).toMatchObject({ type: 'generic', environment: { type: 'standard' } })
})

test('a copy of a template takes another name, and a name that is taken is refused at its field', async () => {
  const copying = panel()
  copying.answer(putTemplate, new Refusal('ErrDuplicateTemplateName'))
  const { panel: asked, path } = await openApp('/addtemplate?from=chess', { as: editor, panel: copying })

  fireEvent.change(await screen.findByLabelText('Display name'), { target: { value: 'Hard Chess' } })
  click('Create template')
  expect(await screen.findByText('A template with this ID already exists')).toBeTruthy()
  copying.answer(putTemplate, undefined)
  fireEvent.change(screen.getByLabelText(/^ID/), { target: { value: 'chess-2' } })
  click('Create template')

  await waitFor(() => expect(path()).toBe('/template/chess-2'))
  expect(asked.asked(putTemplate).map(({ path, body }) => [path, body])).toEqual([
    ['/api/templates/hard-chess', { ...chess, name: 'hard-chess', display: 'Hard Chess' }],
    ['/api/templates/chess-2', { ...chess, name: 'chess-2', display: 'Hard Chess' }],
  ])
})
