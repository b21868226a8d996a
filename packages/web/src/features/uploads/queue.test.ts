import { expect, test } from 'vitest'
import {
  after,
  emptyQueue,
  type Happening,
  isAtRest,
  isBusy,
  nextOf,
  type Queue,
  rowsOf,
  sumOf,
  type Wanted,
} from './queue.ts'

const none: ReadonlySet<string> = new Set()
const error = new Error('refused')

function file(path: string, size = 100): Wanted {
  const slash = path.lastIndexOf('/') + 1
  const bytes = new File([new Uint8Array(size)], path.slice(slash))
  return { server: 'lobby', folder: path.slice(0, Math.max(0, slash - 1)), path, file: bytes }
}

const add = (...paths: string[]): Happening => ({ kind: 'add', wanted: paths.map((path) => file(path)) })
const told = (happenings: readonly Happening[], from: Queue = emptyQueue) => happenings.reduce(after, from)
const start = (id: number, at = 0): Happening => ({ kind: 'start', id, at })
const done = (id: number): Happening => ({ kind: 'done', id })
const taken = (id: number, names: readonly string[] = [], isFolder = false): Happening => ({
  kind: 'taken',
  id,
  isFolder,
  names: new Set(names),
})
const choose = (id: number, choice: 'replace' | 'keepBoth' | 'skip', all = false, names = none): Happening => ({
  kind: 'choose',
  id,
  choice,
  all,
  names: () => names,
})
const statesOf = ({ uploads }: Queue) => uploads.map(({ state }) => state.is).join(' ')

test.each<[story: string, happenings: Happening[], states: string, next: number | undefined]>([
  ['files wait in the order they came', [add('a', 'b')], 'waiting waiting', 1],
  ['one goes at a time', [add('a', 'b'), start(1)], 'running waiting', undefined],
  ['the next follows', [add('a', 'b'), start(1), done(1)], 'done waiting', 2],
  ['a failure stops nobody', [add('a', 'b'), start(1), { kind: 'fail', id: 1, error }], 'failed waiting', 2],
  ['files join while others run', [add('a'), start(1), add('b')], 'running waiting', undefined],
  ['a name that is dropped twice counts once', [add('a', 'a'), add('a')], 'waiting', 1],
  ['the same name in another folder is another file', [add('a', 'x/a')], 'waiting waiting', 1],
  ['one that waits is cancelled', [add('a', 'b'), { kind: 'cancel', id: 1 }], 'cancelled waiting', 2],
  ['one that runs is cancelled', [add('a'), start(1), { kind: 'cancel', id: 1 }], 'cancelled', undefined],
  [
    'all are cancelled but what is done',
    [add('a', 'b', 'c'), start(1), done(1), start(2), { kind: 'cancelAll' }],
    'done cancelled cancelled',
    undefined,
  ],
  [
    'what comes too late changes nothing',
    [add('a'), start(1), { kind: 'cancel', id: 1 }, done(1)],
    'cancelled',
    undefined,
  ],
  [
    'what failed is tried again',
    [add('a'), start(1), { kind: 'fail', id: 1, error }, { kind: 'retry', id: 1 }],
    'waiting',
    1,
  ],
  [
    'a folder that cannot be looked into is refused for good',
    [
      { kind: 'refuse', wanted: { server: 'lobby', folder: '', path: 'textures' }, error },
      { kind: 'retry', id: 1 },
    ],
    'failed',
    undefined,
  ],
  ['a question holds up nobody else', [add('a', 'b'), taken(1)], 'asking waiting', 2],
  ['replacing goes on', [add('a'), taken(1), choose(1, 'replace')], 'waiting', 1],
  ['skipping ends it', [add('a'), taken(1), choose(1, 'skip')], 'skipped', undefined],
  [
    'a choice for all answers the questions that are there',
    [add('a', 'b'), taken(1), taken(2), choose(1, 'skip', true)],
    'skipped skipped',
    undefined,
  ],
  ['and those that come', [add('a', 'b'), taken(1), choose(1, 'replace', true), taken(2)], 'waiting waiting', 1],
  [
    'a file never replaces a folder',
    [add('a', 'b'), taken(1), taken(2, [], true), choose(1, 'replace', true)],
    'waiting asking',
    1,
  ],
  [
    'only what has ended is taken from the list',
    [add('a', 'b'), start(1), done(1), { kind: 'dismiss', id: 1 }, { kind: 'dismiss', id: 2 }],
    'waiting',
    2,
  ],
  ['the list is not emptied over what is under way', [add('a'), { kind: 'clear' }], 'waiting', 1],
  ['an ended list is emptied', [add('a'), start(1), done(1), { kind: 'clear' }], '', undefined],
  [
    'new files make an ended list history, but for failures',
    [add('a', 'b'), start(1), done(1), start(2), { kind: 'fail', id: 2, error }, add('c')],
    'failed waiting',
    3,
  ],
  ['adding what failed tries it again', [add('a'), start(1), { kind: 'fail', id: 1, error }, add('a')], 'waiting', 2],
])('%s', (_, happenings, states, next) => {
  const queue = told(happenings)

  expect(statesOf(queue)).toBe(states)
  expect(nextOf(queue)?.id).toBe(next)
})

test('keeping both finds the first free name, also when another takes it meanwhile', () => {
  const asked = told([add('plugins/a.jar'), taken(1, ['a.jar', 'a (2).jar'])])

  const kept = after(asked, choose(1, 'keepBoth', false, new Set(['a.jar', 'a (2).jar'])))
  const retry = told([start(1), taken(1, ['a.jar', 'a (2).jar', 'a (3).jar'])], kept)

  expect(kept.uploads[0]).toMatchObject({ path: 'plugins/a (3).jar', existing: 'keepBoth' })
  expect(retry.uploads[0]).toMatchObject({ path: 'plugins/a (4).jar', state: { is: 'waiting' } })
})

test('a choice for all ends with the queue', () => {
  const ended = told([add('a'), taken(1), choose(1, 'skip', true)])

  const next = told([add('b'), taken(2)], ended)

  expect(statesOf(next)).toBe('asking')
})

test('the sums count bytes, and leave out what is not wanted any more', () => {
  const queue = told([
    { kind: 'add', wanted: [file('a', 100), file('b', 300), file('c', 600)] },
    start(1),
    done(1),
    start(2),
    { kind: 'progress', id: 2, sent: 100, at: 1_000 },
    { kind: 'cancel', id: 3 },
  ])

  expect(sumOf(queue)).toMatchObject({ total: 2, done: 1, failed: 0, percent: 50, running: { id: 2 } })
})

test('a cut network shows, and its end does', () => {
  const cut = told([add('a'), start(1), { kind: 'progress', id: 1, sent: 10, at: 1 }, { kind: 'cutOff', id: 1 }])
  const back = after(cut, { kind: 'progress', id: 1, sent: 20, at: 90_000 })

  expect(cut.uploads[0]?.state).toMatchObject({ is: 'running', isCutOff: true })
  expect(back.uploads[0]?.state).toMatchObject({ is: 'running', isCutOff: false, pace: { sent: 20 } })
})

test('only a person is missing: nothing is under way, yet it is not over', () => {
  const queue = told([add('a'), taken(1)])

  expect([isBusy(queue), isAtRest(queue)]).toEqual([false, false])
})

test('of a long queue the rows around the current one are shown, and what needs a person', () => {
  const many = told([add(...Array.from({ length: 1_000 }, (_, index) => `f${index}`)), taken(1)])
  const queue = told(Array.from({ length: 500 }, (_, index) => [start(index + 2), done(index + 2)]).flat(), many)

  const { rows, hidden } = rowsOf(queue)

  expect(rows[0]?.id).toBe(1)
  expect(rows.map(({ id }) => id)).toContain(nextOf(queue)?.id)
  expect(rows.length + hidden).toBe(1_000)
  expect(rows).toHaveLength(100)
})
