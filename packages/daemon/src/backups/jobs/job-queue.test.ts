import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { JobMarkers } from './job-markers.ts'
import { JobQueue, type JobRequest, type JobSource } from './job-queue.ts'

const log = pino({ level: 'silent' })

/** A queue whose work ends when the test says so, and the work that runs at each time. */
function begin(
  dir: string,
  turns?: { sharedMs: number; maxContendedMs: number },
  sharedReadMs?: number,
  sources: readonly JobSource[] = [],
) {
  const running = new Map<string, () => void>()
  const history: string[] = []
  let most = 0
  const work = async (name: string, signal: AbortSignal) => {
    signal.throwIfAborted()
    const ended = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => ended.reject(signal.reason))
    running.set(name, ended.resolve)
    history.push(name)
    most = Math.max(most, running.size)
    await ended.promise.finally(() => running.delete(name))
  }
  const queue = new JobQueue({
    markers: new JobMarkers(join(dir, 'jobs'), log),
    onEnd: () => {},
    ...(turns && { turns }),
    ...(sharedReadMs !== undefined && { sharedReadMs }),
    log,
  })
  const maintain = async (signal: AbortSignal) => {
    await work('maintenance', signal)
    return 'done' as const
  }
  queue.startBackground({ maintain, sources, everyMs: 50 })
  const start = (name: string, type: JobRequest['type'], server = 'a', isBackground = false) =>
    queue.start({ type, name, server, isBackground, run: ({ signal }) => work(name, signal) })
  const end = async (name: string) => {
    await vi.waitUntil(() => running.has(name))
    running.get(name)?.()
    await vi.waitUntil(() => !running.has(name))
  }
  return { queue, start, end, history, most: () => most, running }
}

test('backups, restores, clones, proofs, copies and pruning of all servers run one after another', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-queue-'))
  const { queue, start, end, history, most } = begin(dir.path)

  queue.requestMaintenance()
  start('backup', 'create')
  start('restore', 'restore', 'b')
  start('clone', 'restore', 'c')
  start('copy', 'copy', 'd', true)
  start('proof', 'verify', 'e', true)
  for (const name of ['backup', 'restore', 'clone', 'copy', 'proof', 'maintenance']) await end(name)

  expect(history).toEqual(['backup', 'restore', 'clone', 'copy', 'proof', 'maintenance'])
  expect(most()).toBe(1)
  await queue.close()
})

test('pruning, proofs and copies give way to a backup, and pruning begins again afterwards', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-queue-'))
  const { queue, start, end, history, most, running } = begin(dir.path)
  queue.requestMaintenance()
  await vi.waitUntil(() => running.has('maintenance'))

  const copy = start('copy', 'copy', 'a', true)
  await vi.waitUntil(() => running.has('copy'))
  start('backup', 'create', 'b')
  await expect(copy.ended).rejects.toMatchObject({ code: 'ErrCancelled' })
  await end('backup')
  await end('maintenance')

  expect(history).toEqual(['maintenance', 'copy', 'backup', 'maintenance'])
  expect(most()).toBe(1)
  await queue.close()
})

test('a read waits for others, but not for ever', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-queue-'))
  const { queue } = begin(dir.path)
  const { signal } = new AbortController()
  const ends = await Promise.all(['a', 'a', 'b', 'b'].map((server) => queue.beginRead(server, signal)))

  const waiting = queue.beginRead('c', signal, 60_000)
  await expect(queue.beginRead('c', signal, 10)).rejects.toMatchObject({ code: 'ErrBackupReadsBusy' })
  ends[0]?.()
  const end = await waiting

  for (const one of [end, ...ends.slice(1)]) one()
  await queue.close()
})

test('a server cannot take the places of all reads', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-queue-'))
  const { queue } = begin(dir.path)
  const { signal } = new AbortController()
  const ends = await Promise.all(['a', 'a'].map((server) => queue.beginRead(server, signal)))

  const another = queue.beginRead('a', signal, 10)
  const other = await queue.beginRead('b', signal, 10)

  await expect(another).rejects.toMatchObject({ code: 'ErrBackupReadsBusy' })
  for (const one of [other, ...ends]) one()
  await queue.close()
})

test('reads whose clients receive slowly do not hold up those of other servers', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-queue-'))
  const { queue } = begin(dir.path, undefined, 20)
  const { signal } = new AbortController()
  const ends = await Promise.all(['a', 'a', 'b', 'b'].map((server) => queue.beginRead(server, signal)))

  const end = await queue.beginRead('c', signal, 5_000)

  for (const one of [end, ...ends]) one()
  await queue.close()
})

test('servers take turns, also when one of them has queued more jobs', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-queue-'))
  const { queue, start, end, history, most } = begin(dir.path)

  for (const name of ['a1', 'a2', 'a3']) start(name, 'create', 'a')
  for (const name of ['b1', 'b2']) start(name, 'create', 'b')
  for (const name of ['a1', 'b1', 'a2', 'b2', 'a3']) await end(name)

  expect(history).toEqual(['a1', 'b1', 'a2', 'b2', 'a3'])
  expect(most()).toBe(1)
  await queue.close()
})

test('a job that takes long holds up no other server, and its own only', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-queue-'))
  const { queue, start, end, history, running } = begin(dir.path, { sharedMs: 50, maxContendedMs: 60_000 })
  start('endless', 'create', 'a')
  start('own', 'create', 'a')
  queue.requestMaintenance()

  start('other', 'create', 'b')
  await end('other')

  expect(history).toEqual(['endless', 'other'])
  expect([...running.keys()]).toEqual(['endless'])
  await end('endless')
  await end('own')
  await end('maintenance')
  await queue.close()
})

test('a job that has its place for too long is ended when others wait, with a reason, and not before', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-queue-'))
  const { queue, start, end, running } = begin(dir.path, { sharedMs: 20, maxContendedMs: 200 })
  const [first] = ['a', 'b', 'c'].map((server) => start(`endless ${server}`, 'create', server))
  await vi.waitUntil(() => running.size === 3)

  start('other', 'create', 'd')
  await end('other')

  await expect(first?.ended).rejects.toMatchObject({ code: 'ErrTaskTooLong' })
  expect([...running.keys()]).toEqual(['endless b', 'endless c'])
  await queue.close()
})

test('when nothing else is to be done, sources are asked for the work that is due first', async () => {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'innkeeper-queue-'))
  const due = new Map([
    ['proof', 2],
    ['copy', 1],
    ['later', Number.POSITIVE_INFINITY],
  ])
  const sources = [...due.keys()].map((name) => ({
    async next() {
      const at = due.get(name)
      const startJob = () => {
        due.delete(name)
        start(name, 'verify', name, true)
      }
      return at === undefined ? undefined : { at, start: startJob }
    },
  }))
  const broken = { next: () => Promise.reject(new Error('no index')) }
  const { queue, start, end, history } = begin(dir.path, undefined, undefined, [broken, ...sources])

  start('backup', 'create')
  await end('backup')
  await end('copy')
  await end('proof')

  expect(history).toEqual(['backup', 'copy', 'proof'])
  expect([...due.keys()]).toEqual(['later'])
  await queue.close()
})
