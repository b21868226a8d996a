import { expect, test } from 'vitest'
import { lineLeadMs, maxOpenSessions, mergePlayers, nobody, type PlayerReport } from './merge-players.ts'

const at = (seconds: number) => ({ at: seconds * 1_000 })
const ann = { name: 'Ann' }
const ann7 = { name: 'Ann', id: '7' }
const ben = { name: 'Ben' }
const join = (player: { name: string; id?: string }, seconds: number): PlayerReport => ({
  type: 'join',
  player,
  ...at(seconds),
})
const leave = (player: { name?: string; id?: string }, seconds: number): PlayerReport => ({
  type: 'leave',
  player,
  ...at(seconds),
})
const list = (players: readonly { name: string; id?: string }[], seconds: number, isComplete = true): PlayerReport => ({
  type: 'list',
  players,
  isComplete,
  ...at(seconds),
})
const end = (seconds: number): PlayerReport => ({ type: 'end', ...at(seconds) })

/** Sessions as `Ann#7 10-20`, in seconds, those that are open without an end. */
function getSessions(reports: readonly PlayerReport[]): string[] {
  let players = nobody
  const sessions: string[] = []
  for (const report of reports) {
    const merged = mergePlayers(players, report)
    players = merged.players
    for (const { name, id, since, until } of merged.ended)
      sessions.push(`${name}${id ? `#${id}` : ''} ${since / 1_000}-${until / 1_000}`)
  }
  return [...sessions, ...players.open.map(({ name, id, since }) => `${name}${id ? `#${id}` : ''} ${since / 1_000}-`)]
}

const lead = lineLeadMs / 1_000

test.for<[string, readonly PlayerReport[], readonly string[]]>([
  ['a join and a leave are a session', [join(ann, 1), leave(ann, 9)], ['Ann 1-9']],
  ['who left and joined again has two', [join(ann, 1), leave(ann, 9), join(ann, 10)], ['Ann 1-9', 'Ann 10-']],
  ['the end of the process ends all', [join(ann, 1), join(ben, 2), end(5)], ['Ann 1-5', 'Ben 2-5']],
  ['a second join continues the session', [join(ann, 1), join(ann, 5)], ['Ann 1-']],
  ['a leave of nobody is none', [leave(ann, 1)], []],
  ['a leave may have the ID only', [join(ann7, 1), join(ben, 2), leave({ id: '7' }, 3)], ['Ann#7 1-3', 'Ben 2-']],
  [
    'players of the same name with other IDs are two',
    [join(ann7, 1), join({ name: 'Ann', id: '8' }, 2)],
    ['Ann#7 1-', 'Ann#8 2-'],
  ],
  [
    'another name with the same ID ends the session',
    [join(ann7, 1), join({ name: 'Eve', id: '7' }, 4)],
    ['Ann#7 1-4', 'Eve#7 4-'],
  ],
  ['chat shows who is online', [{ type: 'chat', player: ann, ...at(3) }], ['Ann 3-']],
  ['a death does too, and changes no session', [join(ann, 1), { type: 'death', player: ann, ...at(3) }], ['Ann 1-']],
  ['answers alone are sessions', [list([ann, ben], 10), list([ben], 20), list([], 30)], ['Ann 10-20', 'Ben 10-30']],
  ['an answer adds the ID to the name of a line', [join(ann, 1), list([ann7], 100)], ['Ann#7 1-']],
  ['and the line has the end', [join(ann, 1), list([ann7], 100), leave(ann, 101)], ['Ann#7 1-101']],
  ['a list that is not complete ends nothing', [list([ann, ben], 10), list([ann], 20, false)], ['Ben 10-', 'Ann 10-']],
  ['an answer is older than a line', [join(ann, 10), list([], 11), list([ann], 50)], ['Ann 10-']],
  ['but not for long: a missed leave', [join(ann, 10), list([], 10 + lead)], [`Ann 10-${10 + lead}`]],
  ['who has just left is still listed', [list([ann], 1), leave(ann, 10), list([ann], 11), list([], 30)], ['Ann 1-10']],
  [
    'but not for long: a missed join',
    [join(ann, 1), leave(ann, 10), list([ann], 10 + lead)],
    ['Ann 1-10', `Ann ${10 + lead}-`],
  ],
  [
    'who comes back at once is online',
    [list([ann], 1), leave(ann, 10), join(ann, 11), list([ann], 12)],
    ['Ann 1-10', 'Ann 11-'],
  ],
  ['a name that is listed twice is one', [list([ann, ann], 1)], ['Ann 1-']],
  ['a clock that is set back ends no session before its begin', [join(ann, 100), leave(ann, 50)], ['Ann 100-100']],
])('%s', ([, reports, expected]) => {
  expect(getSessions(reports)).toEqual(expected)
})

test('no more players are online than can be', () => {
  const names = Array.from({ length: maxOpenSessions + 5 }, (_, at) => ({ name: `n${at}` }))

  const sessions = getSessions([...names.map((name) => join(name, 1)), list(names, 2)])

  expect(sessions).toHaveLength(maxOpenSessions)
})
