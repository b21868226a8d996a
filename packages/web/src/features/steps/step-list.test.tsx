import { type Step, stepTypes } from '@innkeeper/contract/definitions/operations'
import { screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { StepList } from './step-list.tsx'

/** Renders a list of steps; `now` returns its current steps. */
async function open(steps: readonly Step[], errors?: ReadonlyMap<string, string>) {
  let current = steps
  function List() {
    const [now, setNow] = useState(steps)
    current = now
    return (
      <StepList steps={now} onChange={setNow} types={stepTypes} label="Install steps" {...(errors ? { errors } : {})} />
    )
  }
  const { user } = await openPart(<List />)
  await screen.findByRole('button', { name: 'Add step: Install steps' })
  return { user, now: () => current }
}

const move = { type: 'move', source: '*.jar', target: 'server.jar' }
const unknown = { type: 'teleport', to: { planet: 'moon' }, if: 'env == "host"' }

test('a new step is a command, is expanded at once, and is filled in line by line', async () => {
  const { user, now } = await open([move])

  await user.click(screen.getByRole('button', { name: 'Add step: Install steps' }))
  const form = await screen.findByRole('group', { name: 'Step 2, Run commands' })
  await user.click(within(form).getByRole('textbox', { name: 'Commands, line 1' }))
  await user.keyboard('echo one{Enter}echo two')

  expect(now()).toEqual([move, { type: 'command', commands: ['echo one', 'echo two'] }])
})

test('changing the type clears the other fields, and Undo restores them', async () => {
  const { user, now } = await open([{ ...move, if: 'x', odd: 1 }])

  await user.click(screen.getByRole('button', { name: 'Edit Step 1, Move files' }))
  await user.click(screen.getByRole('combobox', { name: 'Type' }))
  await user.click(await screen.findByRole('option', { name: 'Edit a file' }))
  expect(now()).toEqual([{ type: 'alterfile', regex: true }])

  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(now()).toEqual([{ ...move, if: 'x', odd: 1 }])
})

test('the types are in groups, each type in one', async () => {
  const { user } = await open([move])

  await user.click(screen.getByRole('button', { name: 'Edit Step 1, Move files' }))
  await user.click(screen.getByRole('combobox', { name: 'Type' }))

  const group = await screen.findByRole('group', { name: 'Server' })
  const names = within(group)
    .getAllByRole('option')
    .map(({ textContent }) => textContent)
  expect(names).toEqual([
    'Start, stop, restart, or kill',
    'Count down with messages to players',
    'Create a backup',
    'Wait',
  ])
  expect(screen.getAllByRole('option')).toHaveLength(stepTypes.length)
})

test('a single text of a download is edited as a list', async () => {
  const { user, now } = await open([{ type: 'download', files: 'https://a.example/x' }])

  await user.click(screen.getByRole('button', { name: 'Edit Step 1, Download files' }))
  await user.type(screen.getByRole('textbox', { name: 'URLs, line 1' }), '.jar')

  expect(now()).toEqual([{ type: 'download', files: ['https://a.example/x.jar'] }])
})

test('the escape format is selected by name, and None removes the field', async () => {
  const { user, now } = await open([{ type: 'writefile', target: 'a.cfg', text: 'x "${name}"' }])
  const select = async (name: string) => {
    await user.click(screen.getByRole('combobox', { name: 'Escape variables' }))
    await user.click(await screen.findByRole('option', { name }))
  }

  await user.click(screen.getByRole('button', { name: 'Edit Step 1, Write a file' }))
  await select('For double quotes')
  expect(now()).toEqual([{ type: 'writefile', target: 'a.cfg', text: 'x "${name}"', escape: 'quoted' }])
  await select('None')

  expect(now()).toEqual([{ type: 'writefile', target: 'a.cfg', text: 'x "${name}"' }])
})

test('a step of an unknown type is shown as JSON and kept while its condition is edited', async () => {
  const { user, now } = await open([unknown])

  await user.click(screen.getByRole('button', { name: 'Edit Step 1, teleport' }))
  expect(screen.getByText(/"planet": "moon"/)).toBeTruthy()
  await user.clear(screen.getByRole('textbox', { name: 'Only if' }))

  expect(now()).toEqual([{ type: 'teleport', to: { planet: 'moon' } }])
})

test('steps are moved with Alt and arrow keys or from the menu, and the new position is announced', async () => {
  const { user, now } = await open([move, unknown, { type: 'fabricdl' }])

  screen.getByRole('button', { name: 'Edit Step 1, Move files' }).focus()
  await user.keyboard('{Alt>}{ArrowDown}{/Alt}')
  expect(now().map(({ type }) => type)).toEqual(['teleport', 'move', 'fabricdl'])
  expect(screen.getByText('Step 1, Move files is at position 2 of 3')).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit Step 2, Move files' }))

  await user.click(screen.getByRole('button', { name: 'More actions for Step 3, Download Fabric' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Move up' }))
  expect(now().map(({ type }) => type)).toEqual(['teleport', 'fabricdl', 'move'])
})

test('a step can be duplicated and removed, and the removal can be undone', async () => {
  const { user, now } = await open([move])

  await user.click(screen.getByRole('button', { name: 'More actions for Step 1, Move files' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Duplicate' }))
  expect(now()).toEqual([move, move])

  await user.click(screen.getByRole('button', { name: 'More actions for Step 1, Move files' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Remove' }))
  expect(now()).toEqual([move])
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(now()).toEqual([move, move])
})

test('an error is shown at its step and at its field', async () => {
  const { user } = await open([move, { type: 'mkdir' }], new Map([['1.target', 'Target is required']]))

  expect(screen.getByRole('img', { name: 'Target is required' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Edit Step 2, Create a folder' }))
  expect(screen.getByText('Target is required')).toBeTruthy()
})
