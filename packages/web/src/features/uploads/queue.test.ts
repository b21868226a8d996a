import { expect, test } from 'vitest'
import {
  emptyQueue,
  getNextUpload,
  getTotals,
  getVisibleRows,
  isBusy,
  isIdle,
  type Queue,
  type QueueEvent,
  reduceQueue,
  type UploadRequest,
} from './queue.ts'

const none: ReadonlySet<string> = new Set()
const error = new Error('refused')

function file(path: string, size = 100): UploadRequest {
  const slash = path.lastIndexOf('/') + 1
  const bytes = new File([new Uint8Array(size)], path.slice(slash))
  return { server: 'lobby', folder: path.slice(0, Math.max(0, slash - 1)), path, file: bytes }
}

const add = (...paths: string[]): QueueEvent => ({ type: 'add', requests: paths.map((path) => file(path)) })
const reduce = (events: readonly QueueEvent[], from: Queue = emptyQueue) => events.reduce(reduceQueue, from)
const start = (id: number, timestamp = 0): QueueEvent => ({ type: 'start', id, timestamp })
const done = (id: number): QueueEvent => ({ type: 'done', id })
const conflict = (id: number, names: readonly string[] = [], isFolder = false): QueueEvent => ({
  type: 'conflict',
  id,
  isFolder,
  names: new Set(names),
})
const choose = (id: number, choice: 'replace' | 'keepBoth' | 'skip', isForAll = false, names = none): QueueEvent => ({
  type: 'choose',
  id,
  choice,
  isForAll,
  getNames: () => names,
})
const getStates = ({ uploads }: Queue) => uploads.map(({ state }) => state.status).join(' ')

test.each<[story: string, events: QueueEvent[], states: string, next: number | undefined]>([
  ['files wait in the order they came', [add('a', 'b')], 'waiting waiting', 1],
  ['one goes at a time', [add('a', 'b'), start(1)], 'running waiting', undefined],
  ['the next follows', [add('a', 'b'), start(1), done(1)], 'done waiting', 2],
  ['a failure stops nobody', [add('a', 'b'), start(1), { type: 'fail', id: 1, error }], 'failed waiting', 2],
  ['files join while others run', [add('a'), start(1), add('b')], 'running waiting', undefined],
  ['a name that is dropped twice counts once', [add('a', 'a'), add('a')], 'waiting', 1],
  ['the same name in another folder is another file', [add('a', 'x/a')], 'waiting waiting', 1],
  ['one that waits is canceled', [add('a', 'b'), { type: 'cancel', id: 1 }], 'canceled waiting', 2],
  ['one that runs is canceled', [add('a'), start(1), { type: 'cancel', id: 1 }], 'canceled', undefined],
  [
    'all are canceled but what is done',
    [add('a', 'b', 'c'), start(1), done(1), start(2), { type: 'cancelAll' }],
    'done canceled canceled',
    undefined,
  ],
  [
    'what comes too late changes nothing',
    [add('a'), start(1), { type: 'cancel', id: 1 }, done(1)],
    'canceled',
    undefined,
  ],
  [
    'what failed is tried again',
    [add('a'), start(1), { type: 'fail', id: 1, error }, { type: 'retry', id: 1 }],
    'waiting',
    1,
  ],
  [
    'a folder that cannot be looked into is refused for good',
    [
      { type: 'reject', request: { server: 'lobby', folder: '', path: 'textures' }, error },
      { type: 'retry', id: 1 },
    ],
    'failed',
    undefined,
  ],
  ['a question holds up nobody else', [add('a', 'b'), conflict(1)], 'conflict waiting', 2],
  ['replacing goes on', [add('a'), conflict(1), choose(1, 'replace')], 'waiting', 1],
  ['skipping ends it', [add('a'), conflict(1), choose(1, 'skip')], 'skipped', undefined],
  [
    'a choice for all answers the questions that are there',
    [add('a', 'b'), conflict(1), conflict(2), choose(1, 'skip', true)],
    'skipped skipped',
    undefined,
  ],
  ['and those that come', [add('a', 'b'), conflict(1), choose(1, 'replace', true), conflict(2)], 'waiting waiting', 1],
  [
    'a file never replaces a folder',
    [add('a', 'b'), conflict(1), conflict(2, [], true), choose(1, 'replace', true)],
    'waiting conflict',
    1,
  ],
  [
    'only what has ended is taken from the list',
    [add('a', 'b'), start(1), done(1), { type: 'dismiss', id: 1 }, { type: 'dismiss', id: 2 }],
    'waiting',
    2,
  ],
  ['the list is not emptied over what is under way', [add('a'), { type: 'clear' }], 'waiting', 1],
  ['an ended list is emptied', [add('a'), start(1), done(1), { type: 'clear' }], '', undefined],
  [
    'new files make an ended list history, but for failures',
    [add('a', 'b'), start(1), done(1), start(2), { type: 'fail', id: 2, error }, add('c')],
    'failed waiting',
    3,
  ],
  ['adding what failed tries it again', [add('a'), start(1), { type: 'fail', id: 1, error }, add('a')], 'waiting', 2],
])('%s', (_, events, states, next) => {
  const queue = reduce(events)

  expect(getStates(queue)).toBe(states)
  expect(getNextUpload(queue)?.id).toBe(next)
})

test('keeping both uses the first free name, also when that name is taken during the upload', () => {
  const asked = reduce([add('plugins/a.jar'), conflict(1, ['a.jar', 'a (2).jar'])])

  const kept = reduceQueue(asked, choose(1, 'keepBoth', false, new Set(['a.jar', 'a (2).jar'])))
  const retry = reduce([start(1), conflict(1, ['a.jar', 'a (2).jar', 'a (3).jar'])], kept)

  expect(kept.uploads[0]).toMatchObject({ path: 'plugins/a (3).jar', existing: 'keepBoth' })
  expect(retry.uploads[0]).toMatchObject({ path: 'plugins/a (4).jar', state: { status: 'waiting' } })
})

test('a decision for all conflicts ends with the queue', () => {
  const ended = reduce([add('a'), conflict(1), choose(1, 'skip', true)])

  const next = reduce([add('b'), conflict(2)], ended)

  expect(getStates(next)).toBe('conflict')
})

test('totals count bytes without canceled uploads', () => {
  const queue = reduce([
    { type: 'add', requests: [file('a', 100), file('b', 300), file('c', 600)] },
    start(1),
    done(1),
    start(2),
    { type: 'progress', id: 2, sent: 100, timestamp: 1_000 },
    { type: 'cancel', id: 3 },
  ])

  expect(getTotals(queue)).toMatchObject({ total: 2, done: 1, failed: 0, percent: 50, running: { id: 2 } })
})

test('a cut network shows, and its end does', () => {
  const cut = reduce([
    add('a'),
    start(1),
    { type: 'progress', id: 1, sent: 10, timestamp: 1 },
    { type: 'stall', id: 1 },
  ])
  const back = reduceQueue(cut, { type: 'progress', id: 1, sent: 20, timestamp: 90_000 })

  expect(cut.uploads[0]?.state).toMatchObject({ status: 'running', isStalled: true })
  expect(back.uploads[0]?.state).toMatchObject({ status: 'running', isStalled: false, rate: { sent: 20 } })
})

test('a queue that waits for a decision is neither active nor finished', () => {
  const queue = reduce([add('a'), conflict(1)])

  expect([isBusy(queue), isIdle(queue)]).toEqual([false, false])
})

test('a long queue shows what runs first, and folds what is finished', () => {
  const many = reduce([add(...Array.from({ length: 1_000 }, (_, index) => `f${index}`)), conflict(1)])
  const events = Array.from({ length: 500 }, (_, index) => [start(index + 2), done(index + 2)]).flat()
  const queue = reduce([...events, start(502)], many)

  const { rows, hidden, folded } = getVisibleRows(queue)

  expect(rows.slice(0, 2).map(({ id }) => id)).toEqual([502, 1])
  expect(rows).toHaveLength(100)
  expect([folded, rows.length + hidden]).toEqual([500, 500])
})

test('a queue that has ended shows what it uploaded', () => {
  const { rows, folded } = getVisibleRows(reduce([add('a', 'b'), start(1), done(1), start(2), done(2)]))

  expect([rows.length, folded]).toEqual([2, 0])
})
