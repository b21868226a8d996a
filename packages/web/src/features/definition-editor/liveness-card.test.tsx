import { fireEvent, screen, within } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import type { JsonObject } from './json-path.ts'
import { LivenessCard } from './liveness-card.tsx'
import { validateDefinition } from './validation.ts'

const query = { type: 'source', port: 7 }

/** Renders the card of a definition with these fields; `edited` is the definition. */
async function openCard(fields: JsonObject) {
  const initial = { type: 'game', name: 'x', data: {}, run: {}, ...fields }
  const edited: { raw: JsonObject } = { raw: initial }
  function Page() {
    const [raw, setRaw] = useState<JsonObject>(initial)
    edited.raw = raw
    return <LivenessCard raw={raw} onChange={setRaw} issues={validateDefinition(raw, 'template')} />
  }
  const { user } = await openPart(<Page />)
  const press = (name: string) => user.click(screen.getByRole('button', { name }))
  const select = async (check: string, name: string) => {
    await user.click(screen.getByRole('combobox', { name: check }))
    await user.click(await screen.findByRole('option', { name }))
  }
  const change = (name: string, value: string) =>
    fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } })
  return { edited, press, select, change }
}

test('checks are added, changed and removed; without one nothing is left', async () => {
  const { edited, press, select, change } = await openCard({ query })

  await press('Add check')
  await press('Add check')
  await select('Check 2', 'The console answers a command')
  const second = within(screen.getByRole('group', { name: 'Check 2' }))
  const isRequired = second.queryByText('Command of the check is required') !== null
  change('Command of the check', 'list')
  change('Pattern of the answer', '(')
  const wrong = second.queryByText(/^Invalid regular expression/) !== null
  change('Pattern of the answer', 'players online')
  await press('Add check')
  await select('Check 3', 'The server prints something')
  change('At least every (seconds)', '600')
  const all = edited.raw.liveness
  for (const number of [3, 2, 1]) await press(`Remove check ${number}`)

  expect([isRequired, wrong]).toEqual([true, true])
  const command = { type: 'command', command: 'list', pattern: 'players online' }
  expect(all).toEqual({ checks: [{ type: 'query' }, command, { type: 'output', within: 600 }] })
  expect(edited.raw).not.toHaveProperty('liveness')
})

test('times and a save are set and cleared, and what the form does not know is kept', async () => {
  const liveness = { checks: [{ type: 'query', added: 'later' }], interval: '10', more: true }
  const { edited, change } = await openCard({ query, liveness })
  const shown = screen.getByRole<HTMLInputElement>('textbox', { name: 'Time between checks (seconds)' }).value

  change('Time between checks (seconds)', '')
  change('Failures in a row', '5')
  change('Save command', 'save-all')
  const isRequired = screen.queryByText('Length of the pause (seconds) is required') !== null
  change('Length of the pause (seconds)', '300')
  const withSave = edited.raw.liveness
  change('Save command', '')
  change('Length of the pause (seconds)', '')

  const rest = { checks: liveness.checks, more: true, failures: 5 }
  expect([shown, isRequired]).toEqual(['10', true])
  expect(withSave).toEqual({ ...rest, saving: { command: 'save-all', seconds: 300 } })
  expect(edited.raw.liveness).toEqual(rest)
})

test('a check by a query needs to know how the game is asked', async () => {
  const { press, select } = await openCard({ liveness: { checks: [{ type: 'query' }] } })
  const refused = screen.queryByText('Select under Query how the game is asked.')

  await press('Add check')
  const added = screen.getByRole<HTMLInputElement>('combobox', { name: 'Check 2' }).value
  await select('Check 1', 'The server prints something')

  expect(refused).not.toBeNull()
  expect(added).toBe('The console answers a command')
  expect(screen.queryByText('Select under Query how the game is asked.')).toBeNull()
})

test('at most five checks are offered', async () => {
  await openCard({ query, liveness: { checks: Array.from({ length: 5 }, () => ({ type: 'query' })) } })

  expect(screen.queryByRole('button', { name: 'Add check' })).toBeNull()
})
