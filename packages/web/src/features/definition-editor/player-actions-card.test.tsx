import { fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { setPlayerCommand } from './draft.ts'
import type { JsonObject } from './json-path.ts'
import { PlayerActionsCard } from './player-actions-card.tsx'
import { validateDefinition } from './validation.ts'

test('commands are set, refused and removed, and what the form does not know is kept', async () => {
  const kept = { type: 'tickle', command: 'tickle {player}' }
  const kick = { type: 'kick', command: 'kick {player}', arguments: { player: { maxLength: 16 } } }
  const initial: JsonObject = { type: 'game', name: 'x', players: { actions: [kept, kick], more: 7 } }
  const edited = { raw: initial }
  function Page() {
    const [raw, setRaw] = useState(initial)
    edited.raw = raw
    return <PlayerActionsCard raw={raw} onChange={setRaw} issues={validateDefinition(raw, 'template')} />
  }
  await openPart(<Page />)
  const change = (name: string, value: string) =>
    fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } })

  change('Kick', 'kick {player} {reason}')
  fireEvent.change(screen.getByRole('combobox', { name: 'Add action' }), { target: { value: 'broadcast' } })
  change('Message to all', '{message}')
  const rule = await screen.findByText(/^The first word is fixed/)
  change('Message to all', 'say {message}')

  expect(rule.isConnected).toBe(false)
  const say = { type: 'broadcast', command: 'say {message}' }
  const changed = { ...kick, command: 'kick {player} {reason}' }
  expect(edited.raw.players).toEqual({ actions: [kept, changed, say], more: 7 })
  change('Kick', '')
  expect(edited.raw.players).toEqual({ actions: [kept, say], more: 7 })
  expect(setPlayerCommand(setPlayerCommand({ a: 1 }, 'kick', 'kick {player}'), 'kick', '')).toEqual({ a: 1 })
})
