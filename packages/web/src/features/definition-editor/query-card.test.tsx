import { fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import type { JsonObject } from './json-path.ts'
import { QueryCard } from './query-card.tsx'
import { validateDefinition } from './validation.ts'

/** Renders the card of a definition with these fields; `edited` is the definition. */
async function openCard(query?: JsonObject) {
  const initial = { type: 'game', name: 'x', data: { port: { value: '7' } }, run: {}, ...(query && { query }) }
  const edited: { raw: JsonObject } = { raw: initial }
  function Page() {
    const [raw, setRaw] = useState<JsonObject>(initial)
    edited.raw = raw
    return <QueryCard raw={raw} onChange={setRaw} issues={validateDefinition(raw, 'template')} />
  }
  const { user } = await openPart(<Page />)
  return {
    edited,
    select: async (name: string) => {
      await user.click(screen.getByRole('combobox', { name: 'Protocol' }))
      await user.click(await screen.findByRole('option', { name }))
    },
    change: (name: string, value: string) =>
      fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } }),
  }
}

test('a protocol is chosen, with the fields that it has, and removed', async () => {
  const { edited, select, change } = await openCard()
  const before = screen.queryAllByRole('textbox', { name: 'Query port' })

  await select('Minecraft: Java Edition')
  change('Port for the list of all players', '25565')
  await select('Another game, with gamedig')
  const isRequired = screen.queryByText('Game is required') !== null
  change('Game', 'unrealtournament2004')
  const withGame = edited.raw.query
  await select('Not asked')

  expect(before).toEqual([])
  expect(isRequired).toBe(true)
  expect(withGame).toEqual({ type: 'gamedig', game: 'unrealtournament2004' })
  expect(edited.raw).not.toHaveProperty('query')
})

test('a port is a number or a variable, and what the form does not know is kept', async () => {
  const { edited, change } = await openCard({ type: 'source', port: 27_015, added: 'later' })

  change('Query port', '${queryport}')
  const refused = await screen.findByText('Query port is invalid')
  change('Query port', '${port}+1')
  const accepted = edited.raw.query

  expect(refused.isConnected).toBe(false)
  expect(accepted).toEqual({ type: 'source', port: '${port}+1', added: 'later' })
})

test('a protocol of a later version stays until another one is chosen', async () => {
  const { edited, select } = await openCard({ type: 'telepathy' })
  const shown = screen.getByRole<HTMLInputElement>('combobox', { name: 'Protocol' }).value

  await select('Mumble')

  expect(shown).toBe('telepathy')
  expect(edited.raw.query).toEqual({ type: 'mumble' })
})
