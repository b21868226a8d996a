import { type Step, stepTypes } from '@innkeeper/contract/operations'
import { screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { StepList } from './step-list.tsx'

/** Opens a list of steps; `now` is what it holds at the moment. */
async function open(steps: readonly Step[], problems?: ReadonlyMap<string, string>) {
  let held = steps
  function Held() {
    const [now, setNow] = useState(steps)
    held = now
    return (
      <StepList
        steps={now}
        onChange={setNow}
        kinds={stepTypes}
        label="Install steps"
        {...(problems ? { problems } : {})}
      />
    )
  }
  const { user } = await openPart(<Held />)
  await screen.findByRole('button', { name: 'Add step' })
  return { user, now: () => held }
}

const move = { type: 'move', source: '*.jar', target: 'server.jar' }
const unknown = { type: 'teleport', to: { planet: 'moon' }, if: 'env == "host"' }

test('a step is added as a command, opened at once, and filled in line by line', async () => {
  const { user, now } = await open([move])

  await user.click(screen.getByRole('button', { name: 'Add step' }))
  const form = await screen.findByRole('group', { name: 'Step 2, Run commands' })
  await user.click(within(form).getByRole('textbox', { name: 'Commands, line 1' }))
  await user.keyboard('echo one{Enter}echo two')

  expect(now()).toEqual([move, { type: 'command', commands: ['echo one', 'echo two'] }])
})

test('another type clears the other fields, and Undo brings them back', async () => {
  const { user, now } = await open([{ ...move, if: 'x', odd: 1 }])

  await user.click(screen.getByRole('button', { name: 'Edit Step 1, Move files' }))
  await user.click(screen.getByRole('combobox', { name: 'Type' }))
  await user.click(await screen.findByRole('option', { name: 'Alter a file' }))
  expect(now()).toEqual([{ type: 'alterfile', regex: true }])

  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(now()).toEqual([{ ...move, if: 'x', odd: 1 }])
})

test('a single text of a download is edited as a list', async () => {
  const { user, now } = await open([{ type: 'download', files: 'https://a.example/x' }])

  await user.click(screen.getByRole('button', { name: 'Edit Step 1, Download files' }))
  await user.type(screen.getByRole('textbox', { name: 'Addresses, line 1' }), '.jar')

  expect(now()).toEqual([{ type: 'download', files: ['https://a.example/x.jar'] }])
})

test('how a step writes values is chosen from names, and as they are is the same as nothing', async () => {
  const { user, now } = await open([{ type: 'writefile', target: 'a.cfg', text: 'x "${name}"' }])
  const choose = async (name: string) => {
    await user.click(screen.getByRole('combobox', { name: 'How values of variables are written' }))
    await user.click(await screen.findByRole('option', { name }))
  }

  await user.click(screen.getByRole('button', { name: 'Edit Step 1, Write a file' }))
  await choose('Between double quotes')
  expect(now()).toEqual([{ type: 'writefile', target: 'a.cfg', text: 'x "${name}"', escape: 'quoted' }])
  await choose('As they are')

  expect(now()).toEqual([{ type: 'writefile', target: 'a.cfg', text: 'x "${name}"' }])
})

test('a step of an unknown type is shown as JSON and stays as it is while its condition is edited', async () => {
  const { user, now } = await open([unknown])

  await user.click(screen.getByRole('button', { name: 'Edit Step 1, teleport' }))
  expect(screen.getByText(/"planet": "moon"/)).toBeTruthy()
  await user.clear(screen.getByRole('textbox', { name: 'Only if' }))

  expect(now()).toEqual([{ type: 'teleport', to: { planet: 'moon' } }])
})

test('steps are moved with Alt and arrows and from the menu, and it is said where they went', async () => {
  const { user, now } = await open([move, unknown, { type: 'fabricdl' }])

  screen.getByRole('button', { name: 'Edit Step 1, Move files' }).focus()
  await user.keyboard('{Alt>}{ArrowDown}{/Alt}')
  expect(now().map(({ type }) => type)).toEqual(['teleport', 'move', 'fabricdl'])
  expect(screen.getByText('Step 1, Move files is at place 2 of 3')).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit Step 2, Move files' }))

  await user.click(screen.getByRole('button', { name: 'More for Step 3, Download Fabric' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Move up' }))
  expect(now().map(({ type }) => type)).toEqual(['teleport', 'fabricdl', 'move'])
})

test('a step is duplicated and removed, and the removal can be taken back', async () => {
  const { user, now } = await open([move])

  await user.click(screen.getByRole('button', { name: 'More for Step 1, Move files' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Duplicate' }))
  expect(now()).toEqual([move, move])

  await user.click(screen.getByRole('button', { name: 'Remove Step 1, Move files' }))
  expect(now()).toEqual([move])
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(now()).toEqual([move, move])
})

test('a problem is told at its step and at its field', async () => {
  const { user } = await open([move, { type: 'mkdir' }], new Map([['1.target', 'Target is required']]))

  expect(screen.getByRole('img', { name: 'Target is required' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Edit Step 2, Create a folder' }))
  expect(screen.getByText('Target is required')).toBeTruthy()
})
