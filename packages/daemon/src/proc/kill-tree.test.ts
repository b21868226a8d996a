import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { getPlan, KeeperFixture, startReading } from '../testing/keepers.ts'
import { createTreeKiller, killTimeoutMs } from './kill-tree.ts'
import { isAlive, readProcessStat, sendSignal } from './process-stat.ts'
import { getTree, readProcessTable } from './process-table.ts'

const terminal = { cols: 80, rows: 24 }

test.for([
  { kind: 'pipes', size: undefined },
  { kind: 'a terminal', size: terminal },
])(
  'kill ends a tree with $kind that ignores SIGTERM within 2 s, also a double fork with its own session',
  async ({ size }) => {
    await using fixture = await KeeperFixture.create()
    const keepers = await fixture.open()
    const { run, out } = await startReading(keepers, getPlan('a/main', 'stubborn'), size)
    const [, ...pids] = await out.until(/ready (\d+) (\d+) (\d+)/)
    const all = pids.map((pid) => ({ pid: Number(pid), startTime: readProcessStat(Number(pid))?.startTime ?? 0 }))
    run.stop({ signal: 15, deadline: Number.POSITIVE_INFINITY })
    await out.until(/first ignores SIGTERM/)
    expect(all.map(isAlive)).toEqual([true, true, true])
    const begin = performance.now()

    await run.kill()

    expect(performance.now() - begin).toBeLessThan(killTimeoutMs)
    expect(all.map(isAlive)).toEqual([false, false, false])
    expect(await run.exited).toEqual({ code: null, signal: 'SIGKILL' })
  },
)

test('processes that a server left behind after its exit can still be killed', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const { run, out } = await startReading(keepers, getPlan('a/main', 'stubborn'))
  const [, , , escaped] = await out.until(/ready (\d+) (\d+) (\d+)/)
  const left = { pid: Number(escaped), startTime: readProcessStat(Number(escaped))?.startTime ?? 0 }
  sendSignal(run.process, 'SIGKILL')
  await run.exited
  expect(isAlive(left)).toBe(true)

  await run.kill()

  expect(isAlive(left)).toBe(false)
})

test('killing one server does not affect another', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const { run, out } = await startReading(keepers, getPlan('a/main', 'stubborn'))
  const { run: other, out: otherOut } = await startReading(keepers, getPlan('b/main', 'echo'))
  await Promise.all([out.until(/ready/), otherOut.until(/ready/)])

  await run.kill()

  other.write('hello\n')
  await otherOut.until(/echo: hello/)
})

test('a process with a reused pid is neither signalled nor killed', async () => {
  const bystander = spawn('/bin/sleep', ['60'], { stdio: 'ignore', detached: true })
  const pid = bystander.pid ?? 0
  const real = { pid, startTime: readProcessStat(pid)?.startTime ?? 0 }
  const recycled = { pid, startTime: real.startTime - 1 }

  const wasSent = sendSignal(recycled, 'SIGKILL')
  const left = await createTreeKiller()({ id: 'none', process: recycled })

  expect({ wasSent, left, isAlive: isAlive(real) }).toEqual({ wasSent: false, left: [], isAlive: true })
  expect(getTree(recycled, readProcessTable()).size).toBe(0)
  sendSignal(real, 'SIGKILL')
})
