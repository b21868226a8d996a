import type { PlayerFacts } from '@innkeeper/contract/definitions/conditions'
import { expect, test } from 'vitest'
import { PlayerActivity } from './player-activity.ts'

const unknown = { players: undefined, quietMinutes: undefined }

/** The game answers once a minute: with a number of players, or not at all (`-`), and the server may go offline (`x`). */
test.for<[string, PlayerFacts]>([
  ['', unknown],
  ['-', unknown],
  ['3', { players: 3, quietMinutes: 0 }],
  ['0', { players: 0, quietMinutes: 0 }],
  ['0 0 0', { players: 0, quietMinutes: 2 }],
  ['0 0 1', { players: 1, quietMinutes: 0 }],
  ['0 1 0 0', { players: 0, quietMinutes: 1 }],
  ['0 0 -', unknown],
  ['0 - - 0', { players: 0, quietMinutes: 3 }],
  ['0 - - - 0', { players: 0, quietMinutes: 0 }],
  ['0 - 0 - - 0', { players: 0, quietMinutes: 5 }],
  ['0 0 x', unknown],
  ['0 0 x 0', { players: 0, quietMinutes: 0 }],
])('after the answers "%s" it is known that %o', ([answers, facts]) => {
  let minute = 0
  const activity = new PlayerActivity({ now: () => minute * 60_000 })

  for (const [at, answer] of answers.split(' ').filter(Boolean).entries()) {
    minute = at
    if (answer === 'x') activity.clear()
    else activity.set(answer === '-' ? undefined : { online: Number(answer), max: 20 })
  }

  expect(activity.facts).toEqual(facts)
})
