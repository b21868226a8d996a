import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { isAlive, sendSignal } from '../../proc/process-stat.ts'
import type { LaunchOptions } from '../../processes/run.ts'
import { getPlan, KeeperFixture, Reader, startReading, until } from '../../testing/keepers.ts'
import { getRunFolder, keeperLimits, RunFolder } from '../protocol.ts'
import { writeState } from '../state-file.ts'
import type { RunIsolation } from './keeper-pool.ts'

const terminal = { cols: 91, rows: 27 }

test('a server with pipes starts, reads input, and exits with its code', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()

  const { run, out } = await startReading(keepers, getPlan('a/main', 'echo'))
  await out.until(/ready/)
  run.write('hello\n')
  await out.until(/echo: hello/)
  run.write('exit 3\n')

  expect(await out.all()).toEqual({ exit: { code: 3, signal: null }, text: 'ready\necho: hello\n' })
})

test('a server in a terminal gets its size and every change of it', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()

  const { run, out } = await startReading(keepers, getPlan('a/main', 'echo'), terminal)
  await out.until(/ready/)
  run.write('size\n')
  await out.until(/size: 91x27/)
  run.resize(120, 40)
  await out.until(/resized: 120x40/)
  run.write('exit 4\n')

  expect(await out.all()).toMatchObject({ exit: { code: 4, signal: null } })
})

test('stdout and stderr arrive in the order in which they were written, and both can be opened by path', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()

  const script = 'for n in 1 2 3 4 5 6 7 8 9; do echo "out $n"; echo "err $n" >/dev/stderr; done; cat /dev/stdin'
  const { run, out } = await startReading(keepers, shell('a/main', script))
  await out.until(/err 9/)
  run.write('typed\n')
  await out.until(/typed/)
  run.stop({ signal: 15, deadline: Number.POSITIVE_INFINITY })

  const { exit, text } = await out.all()
  expect(exit).toEqual({ code: null, signal: 'SIGTERM' })
  expect(text).toBe(`${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `out ${n}\nerr ${n}\n`).join('')}typed\n`)
})

test.for([
  { kind: 'pipes', size: undefined },
  { kind: 'a terminal', size: terminal },
])('with $kind a server inherits only descriptors 0 to 2, however many servers run', async ({ size }) => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  for (let n = 0; n < 4; n++) {
    const { out } = await startReading(keepers, getPlan(`${n}/main`, 'echo'), n % 2 ? terminal : undefined)
    await out.until(/ready/)
  }

  const listing = { ...shell('x/main', ''), file: '/bin/ls', args: ['-l', '/proc/self/fd'] }
  const { text } = await (await startReading(keepers, listing, size)).out.all()

  // The fourth is the one that `ls` opened for the listing.
  const targets = [...text.matchAll(/ (\d+) -> (\S+)/g)].map(([, fd, target]) => [
    Number(fd),
    target?.replace(/\d+/g, ''),
  ])
  expect(targets.map(([fd]) => fd)).toEqual([0, 1, 2, 3])
  expect(targets[3]?.[1]).toBe('/proc//fd')
  const own = size ? '/dev/pts/' : expect.stringMatching(/\.(in|out)$/)
  expect(targets.slice(0, 3).map(([, target]) => target)).toEqual([own, own, own])
})

test.for([
  { kind: 'pipes', size: undefined },
  { kind: 'a terminal', size: terminal },
])(
  'with $kind a server gets exactly its environment, its own session and default signal handlers',
  async ({ size }) => {
    await using fixture = await KeeperFixture.create()
    const keepers = await fixture.open()
    // The second start in a terminal goes through the exec launcher.
    await (await startReading(keepers, getPlan('t/main', 'echo'), terminal)).out.until(/ready/)
    const env = {
      PATH: '/usr/bin:/bin',
      LANG: 'C.UTF-8',
      ODD: 'a=b "c" \n d',
      NODE_OPTIONS: '--no-warnings',
      TERM: 'dumb',
      PWD: '/tmp',
    }

    const plan = { ...getPlan('a/main', 'surroundings', ['one', 'two words']), env, cwd: '/tmp' }
    const { run, out } = await startReading(keepers, plan, size)
    const given: unknown = JSON.parse((await out.until(/\{.*\}/)).at(0) ?? '')
    const ignored = await (
      await startReading(keepers, shell('s/main', 'grep SigIgn /proc/self/status'), size)
    ).out.all()

    expect(given).toEqual({
      pid: run.process.pid,
      session: run.process.pid,
      args: ['one', 'two words'],
      env: { ...env, INNKEEPER_RUN: run.id },
      cwd: '/tmp',
      isTerminal: size !== undefined,
    })
    expect(ignored.text).toMatch(/SigIgn:\s+0+\s/)
  },
)

test('a second start of a key is refused while the first run lives, also when both are requested at once', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()

  const attempts = await Promise.allSettled([1, 2, 3].map(() => keepers.start(getPlan('a/main', 'echo'))))

  expect(attempts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(attempts.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'ErrProcessRunning' } })
  await expect(keepers.start(getPlan('a/main', 'echo'))).rejects.toMatchObject({ code: 'ErrProcessRunning' })
  const [run] = attempts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (!run) throw new Error('none was started')
  const { exited } = run
  new Reader(run)
  run.write('stop\n')
  await exited
  await expect(keepers.start(getPlan('a/main', 'echo'))).resolves.toMatchObject({ key: 'a/main' })
})

test('two daemons that start together find one keeper, and the later one is in charge', async () => {
  await using fixture = await KeeperFixture.create()
  const lost: string[] = []

  const both = await Promise.all([1, 2].map(() => fixture.open({ onLost: (why) => lost.push(why) })))

  const alive = (await fixture.states()).filter(({ keeper }) => isAlive(keeper))
  expect(alive).toHaveLength(1)
  await until('one of them was replaced', () => lost.length === 1)
  const started = await Promise.allSettled(both.map((keepers) => keepers.start(getPlan('a/main', 'echo'))))
  expect(started.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(lost).toEqual(['replaced'])
})

test('a process of another user cannot prevent the keeper from starting', async () => {
  await using fixture = await KeeperFixture.create()
  using folder = new RunFolder(getRunFolder(fixture.dataDir))
  // Abstract sockets are accessible to every user; keepers of generation 1 used one of this name as a lock.
  writeFileSync(folder.file('lock'), 'abc')
  const hostile = [1, 2].map((generation) => createServer().listen(`\0innkeeper-abc-${generation}`))
  await Promise.all(hostile.map((server) => once(server, 'listening')))

  const keepers = await fixture.open()

  await (await startReading(keepers, getPlan('a/main', 'echo'))).out.until(/ready/)
  for (const server of hostile) server.close()
})

test('a data directory whose path exceeds the length of a socket address works like any other', async () => {
  await using fixture = await KeeperFixture.create(`${'deep-'.repeat(30)}folder`)
  const keepers = await fixture.open()

  const { run, out } = await startReading(keepers, getPlan('a/main', 'echo'))
  await out.until(/ready/)
  run.write('stop\n')

  expect(await out.all()).toMatchObject({ exit: { code: 0 } })
})

test('a new daemon finds its servers with pid, unacknowledged output and input', async () => {
  await using fixture = await KeeperFixture.create()
  const before = await fixture.open()
  const { run, out } = await startReading(before, getPlan('a/main', 'echo'))
  await out.until(/ready\n/)
  run.acknowledge('rea'.length)
  await fixture.close(before)

  const after = await fixture.open()

  const [found] = after.runs
  if (!found) throw new Error('nothing was found')
  expect(after.runs).toHaveLength(1)
  expect(found).toMatchObject({ id: run.id, key: 'a/main', process: run.process, hasConsole: true, acknowledged: 3 })
  const again = new Reader(found)
  found.write('hello\n')
  await again.until(/echo: hello\n/)
  expect(again.text).toBe('dy\necho: hello\n')
  expect(again.gaps).toEqual([])
})

test('a server that exited while no daemon ran is found with its last output and its exit, until it is released', async () => {
  await using fixture = await KeeperFixture.create()
  const first = await fixture.open()
  const run = await first.start(getPlan('a/main', 'crash', [9, 300]))
  await fixture.close(first)
  await until('it has crashed', () => !isAlive(run.process))

  const second = await fixture.open()
  const [found] = second.runs
  if (!found) throw new Error('nothing was found')
  const seen = await new Reader(found).all()
  found.release()
  await fixture.close(second)
  const third = await fixture.open()

  expect(seen).toEqual({ exit: { code: 9, signal: null }, text: 'crashing: 9\n' })
  expect(third.runs).toEqual([])
})

test('output beyond the buffer loses the oldest bytes, and the gap is reported', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const total = 3 * keeperLimits.outputBytes
  const run = await keepers.start(getPlan('a/main', 'flood', [total]))
  await until('all was printed', () => !isAlive(run.process))

  const out = new Reader(run, 0)
  const { exit, text } = await out.all()

  expect(exit).toEqual({ code: 0, signal: null })
  expect(out.gaps).toEqual([[0, total - keeperLimits.outputBytes]])
  expect(text).toHaveLength(keeperLimits.outputBytes)
  expect(text.endsWith(`${String(total / 64 - 1).padStart(12, '0')} ${'x'.repeat(50)}\n`)).toBe(true)
})

test.for([
  { kind: 'pipes', size: undefined },
  { kind: 'a terminal', size: terminal },
])(
  'with $kind a server that does not read its input uses bounded memory and does not affect other servers',
  async ({ size }) => {
    await using fixture = await KeeperFixture.create()
    const keepers = await fixture.open()
    const { run: deaf, out } = await startReading(keepers, shell('a/main', 'echo up; while :; do sleep 1; done'), size)
    await out.until(/up/)

    for (let n = 0; n < 40; n++) deaf.write(`${'x'.repeat(99)}\n`.repeat(1024))
    await until('it was said that input is lost', () =>
      fixture.messages.some((text) => text.includes('input was dropped')),
    )

    const other = await startReading(keepers, getPlan('b/main', 'echo'))
    await other.out.until(/ready/)
    other.run.write('hello\n')
    await other.out.until(/echo: hello/)
  },
)

test('the servers of a killed keeper go on as orphans: known, not started twice, killable, and their exit is noticed', async () => {
  await using fixture = await KeeperFixture.create()
  const lost: string[] = []
  const keepers = await fixture.open({ onLost: (why) => lost.push(why) })
  const { run } = await startReading(keepers, getPlan('a/main', 'stubborn'))
  const { run: second } = await startReading(keepers, getPlan('b/main', 'stubborn'))
  const [state] = await fixture.states()
  if (!state) throw new Error('no keeper')

  sendSignal(state.keeper, 'SIGKILL')
  await until('the loss was noticed', () => lost.length > 0)

  expect(lost).toEqual(['died'])
  expect([run.hasConsole, second.hasConsole]).toEqual([false, false])
  run.write('nobody hears this\n')
  expect(fixture.messages.join('\n')).toContain('input was dropped')
  await expect(keepers.start(getPlan('a/main', 'echo'))).rejects.toMatchObject({ code: 'ErrProcessRunning' })
  await run.kill()
  expect(await run.exited).toEqual({ code: null, signal: null })
  run.release()
  await (await startReading(keepers, getPlan('a/main', 'echo'))).out.until(/ready/)

  await fixture.close(keepers)
  const next = await fixture.open()
  const orphan = next.runs.find(({ key }) => key === 'b/main')
  expect(next.runs.map(({ key, hasConsole }) => [key, hasConsole]).toSorted()).toEqual([
    ['a/main', true],
    ['b/main', false],
  ])
  expect(orphan?.process).toEqual(second.process)
  await expect(next.start(getPlan('b/main', 'echo'))).rejects.toMatchObject({ code: 'ErrProcessRunning' })
  await orphan?.kill()
  expect(await orphan?.exited).toEqual({ code: null, signal: null })
})

test('a killed keeper is replaced automatically', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open({ reattachAfterMs: 0 })
  const [state] = await fixture.states()
  if (!state) throw new Error('no keeper')
  expect(keepers.isAttached).toBe(true)

  sendSignal(state.keeper, 'SIGKILL')

  await until('the loss is noticed', () => !keepers.isAttached)
  await until('another keeper is there', () => keepers.isAttached)
})

test('a pid that was reused is not mistaken for an orphan', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const { run, out } = await startReading(keepers, getPlan('a/main', 'stubborn'))
  await out.until(/ready/)
  const [state] = await fixture.states()
  if (!state) throw new Error('no keeper')
  await fixture.close(keepers)
  sendSignal(state.keeper, 'SIGKILL')
  await run.kill()
  // As if the pid had been given again, to this test's own process.
  using folder = new RunFolder(getRunFolder(fixture.dataDir))
  const stranger = { pid: process.pid, startTime: run.process.startTime }
  await writeState(folder, { ...state, runs: [{ id: run.id, key: run.key, process: stranger }] })

  const next = await fixture.open()

  const [found] = next.runs
  expect(await found?.exited).toEqual({ code: null, signal: null })
  found?.stop({ signal: 15, deadline: Number.POSITIVE_INFINITY })
  await found?.kill()
  await (await startReading(next, getPlan('a/main', 'echo'))).out.until(/ready/)
})

test('after an upgrade the old keeper keeps its servers and exits with the last one, and new servers use the new keeper', async () => {
  await using fixture = await KeeperFixture.create()
  const old = await fixture.open({ generation: 1 })
  const { run, out } = await startReading(old, getPlan('a/main', 'echo'))
  await out.until(/ready/)
  await fixture.close(old)

  const next = await fixture.open({ generation: 2 })
  const [found] = next.runs
  if (!found) throw new Error('nothing was found')
  await (await startReading(next, getPlan('b/main', 'echo'))).out.until(/ready/)
  const generations = (await fixture.states()).map(({ generation, runs }) => [generation, runs.map(({ key }) => key)])

  expect(generations.toSorted()).toEqual([
    [1, ['a/main']],
    [2, ['b/main']],
  ])
  await expect(next.start(getPlan('a/main', 'echo'))).rejects.toMatchObject({ code: 'ErrProcessRunning' })
  const again = new Reader(found)
  found.write('stop\n')
  expect(await again.all()).toMatchObject({ exit: { code: 0 } })
  expect(found.process).toEqual(run.process)
  found.release()
  await until('the old keeper has left', async () =>
    (await fixture.states()).every(({ generation }) => generation === 2),
  )
})

test('SIGTERM ends a keeper without runs, and not one with runs', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const { run, out } = await startReading(keepers, getPlan('a/main', 'echo'))
  await out.until(/ready/)
  const [state] = await fixture.states()
  if (!state) throw new Error('no keeper')

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) sendSignal(state.keeper, signal)
  run.write('still here\n')
  await out.until(/echo: still here/)
  run.write('stop\n')
  await run.exited
  run.release()
  await until('it is forgotten', async () => (await fixture.states())[0]?.runs.length === 0)
  sendSignal(state.keeper, 'SIGTERM')

  await until('it has left', async () => !isAlive(state.keeper) && (await fixture.states()).length === 0)
})

test('a keeper without runs exits with its daemon, one with runs does not', async () => {
  await using fixture = await KeeperFixture.create()
  const first = await fixture.open()
  const { run, out } = await startReading(first, getPlan('a/main', 'echo'))
  await out.until(/ready/)
  await fixture.close(first)
  const [kept] = await fixture.states()
  const second = await fixture.open()
  const [found] = second.runs
  if (!kept || !found) throw new Error('nothing was kept')

  found.follow(0, () => {})
  found.write('stop\n')
  await found.exited
  found.release()
  await fixture.close(second)

  expect(found.process).toEqual(run.process)
  expect(isAlive(kept.keeper)).toBe(false)
  await until('the keeper has left', async () => (await fixture.states()).length === 0)
})

test('a run whose exit cannot be refined still ends, and other runs are not affected', async () => {
  await using fixture = await KeeperFixture.create()
  const isolation: RunIsolation = {
    isolate: (_, plan) => plan,
    refineExit: () => {
      throw new Error('EIO: i/o error')
    },
    isKnown: true,
    destroy: async () => true,
    sweep: () => {},
    close: () => {},
    members: () => [],
    kill: () => {},
    freeze: async () => false,
    thaw: () => {},
  }
  const keepers = await fixture.open({ isolation })
  const { run } = await startReading(keepers, getPlan('a/main', 'echo'))
  const { run: other, out } = await startReading(keepers, getPlan('b/main', 'echo'))

  run.write('exit 3\n')

  expect(await run.exited).toEqual({ code: 3, signal: null })
  other.write('hello\n')
  await out.until(/echo: hello/)
  expect(fixture.messages.filter((text) => text.includes('cannot reach'))).toEqual([])
})

test('an exception in an output listener of one run does not affect the others', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const faulty = await keepers.start(getPlan('a/main', 'echo'))
  faulty.follow(0, () => {
    throw new Error('EPERM: operation not permitted')
  })

  const { run, out } = await startReading(keepers, getPlan('b/main', 'echo'))
  run.write('hello\n')
  await out.until(/echo: hello/)
  faulty.write('exit 3\n')

  expect(await faulty.exited).toEqual({ code: 3, signal: null })
  expect(fixture.messages.join()).toContain('failed to handle a message of the keeper')
  expect(fixture.messages.join()).not.toContain('connection')
})

test('a keeper drops a connection with invalid messages, and the daemon reconnects without losing its servers', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const { out } = await startReading(keepers, getPlan('a/main', 'echo'))
  await out.until(/ready/)
  const [state] = await fixture.states()
  await fixture.close(keepers)

  using folder = new RunFolder(getRunFolder(fixture.dataDir))
  const stranger = new Socket().connect(folder.socket(state?.socket ?? ''))
  stranger.end(Buffer.alloc(64, 0xff))
  await new Promise((resolve) =>
    stranger
      .on('error', () => undefined)
      .on('close', resolve)
      .resume(),
  )
  const next = await fixture.open()

  const [found] = next.runs
  if (!found) throw new Error('nothing was found')
  const again = new Reader(found, 0)
  found.write('hello\n')
  await again.until(/echo: hello/)
})

function shell(key: string, script: string): LaunchOptions {
  return { key, file: '/bin/sh', args: ['-c', script], cwd: '/tmp', env: { PATH: '/usr/bin:/bin' } }
}
