import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readProcessTable } from '../proc/process-table.ts'
import type { LaunchOptions } from '../processes/run.ts'
import { getPlan, KeeperFixture, Reader, until } from '../testing/keepers.ts'

const terminal = { cols: 91, rows: 27 }

test("a flood of 1 GiB hardly increases the keeper's memory", async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const [state] = await fixture.states()
  const memory = () => getMemory(state?.keeper.pid ?? 0)
  const [before, total] = [memory(), 1024 ** 3]
  const run = await keepers.start(getPlan('a/main', 'flood', [total]))
  let [most, end] = [0, 0]
  run.follow(0, (data, from) => {
    end = from + data.length
    run.acknowledge(end)
    most = Math.max(most, memory())
  })

  const exit = await run.exited

  expect(exit).toEqual({ code: 0, signal: null })
  expect(end).toBe(total)
  expect(most - before).toBeLessThan(64 * 1024 ** 2)
}, 60_000)

test('a daemon that stops reading delays a flooding server only briefly', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const [state] = await fixture.states()
  const before = getMemory(state?.keeper.pid ?? 0)
  const run = await keepers.start(getPlan('a/main', 'flood', [256 * 1024 ** 2]))

  // Followed and never acknowledged: the keeper's buffer stays full.
  const out = new Reader(run, 0)
  const { exit } = await out.all()

  expect(exit).toEqual({ code: 0, signal: null })
  expect(getMemory(state?.keeper.pid ?? 0) - before).toBeLessThan(64 * 1024 ** 2)
})

test('two hundred starts and exits leave no zombie, no descriptor and no record', async () => {
  await using fixture = await KeeperFixture.create()
  const keepers = await fixture.open()
  const [state] = await fixture.states()
  const pid = state?.keeper.pid ?? 0
  const cycle = async (n: number) => {
    const run = await keepers.start(shell(`${n}/main`, 'echo done'), n % 4 ? undefined : terminal)
    const { text } = await new Reader(run, 0).all()
    run.release()
    return text.trim()
  }
  await Promise.all([0, 1, 2, 3].map(cycle))
  const descriptors = () => readdirSync(`/proc/${pid}/fd`).length
  const before = descriptors()

  for (let n = 0; n < 200; n += 10) {
    const messages = await Promise.all(Array.from({ length: 10 }, (_, k) => cycle(n + k)))
    expect(messages).toEqual(Array.from({ length: 10 }, () => 'done'))
  }

  await until('nothing is on record', async () => (await fixture.states())[0]?.runs.length === 0)
  await until('descriptors are closed', () => descriptors() <= before)
  expect(getZombies(pid)).toEqual([])
}, 40_000)

function shell(key: string, script: string): LaunchOptions {
  return { key, file: '/bin/sh', args: ['-c', script], cwd: '/tmp', env: { PATH: '/usr/bin:/bin' } }
}

function getMemory(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
  return Number(kibibytes) * 1024
}

function getZombies(pid: number): number[] {
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger)
  const living = readProcessTable().byPid
  return all.filter((child) => {
    if (living.has(child)) return false
    try {
      return readFileSync(`/proc/${child}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1] === String(pid)
    } catch {
      return false
    }
  })
}
