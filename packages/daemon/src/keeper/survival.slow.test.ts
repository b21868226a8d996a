import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isAlive } from '../proc/process-stat.ts'
import { KeeperFixture, until } from '../testing/keepers.ts'

const follower = fileURLToPath(new URL('../testing/follower.ts', import.meta.url))
const servers = 10

test('ten servers count at 1,000 lines a second while their daemon is killed five times: no number is missing or doubled', async () => {
  await using fixture = await KeeperFixture.create()
  const folder = join(fixture.dataDir, '..', 'output')
  mkdirSync(folder)
  const files = Array.from({ length: servers }, (_, n) => join(folder, `${n}-main`))
  const stored = () => files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)

  let daemon = await startDaemon([fixture.dataDir, folder, String(servers), '1000', '8000'])
  const before = await readProcesses(fixture)
  for (let kill = 0; kill < 5; kill++) {
    const goal = stored() + 30_000
    await until('the daemon stores new output', () => stored() > goal)
    await kill9(daemon)
    daemon = await startDaemon([fixture.dataDir, folder])
  }
  expect(await readProcesses(fixture)).toEqual(before)
  await until('all have counted to the end', () => files.every(hasExit), 20_000)
  await kill9(daemon)

  const expected = `${Array.from({ length: 8000 }, (_, n) => n + 1).join('\n')}\n`
  for (const file of files) {
    expect(readFileSync(file, 'utf8') === expected, `${file} has every number once`).toBe(true)
    expect(readFileSync(`${file}.exit`, 'utf8')).toBe('{"code":7,"signal":null}')
  }
}, 60_000)

test('servers that exited while no daemon ran are found by the next one, with all output and their exit', async () => {
  await using fixture = await KeeperFixture.create()
  const folder = join(fixture.dataDir, '..', 'output')
  mkdirSync(folder)
  const daemon = await startDaemon([fixture.dataDir, folder, '2', '500', '300'])
  await kill9(daemon)
  await until('both have ended', async () => (await readProcesses(fixture)).every((process) => !isAlive(process)))

  const next = await startDaemon([fixture.dataDir, folder])
  const files = ['0-main', '1-main'].map((name) => join(folder, name))
  await until('their ends are known', () => files.every(hasExit))
  await kill9(next)

  for (const file of files) {
    expect(readFileSync(file, 'utf8').split('\n').length).toBe(301)
    expect(readFileSync(`${file}.exit`, 'utf8')).toBe('{"code":7,"signal":null}')
  }
})

/** Whether the exit of a server is persisted. The file may be empty for a moment. */
function hasExit(file: string): boolean {
  return (statSync(`${file}.exit`, { throwIfNoEntry: false })?.size ?? 0) > 0
}

async function startDaemon(args: readonly string[]): Promise<ChildProcess> {
  const daemon = spawn(process.execPath, [follower, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const messages of daemon.stdout) if (String(messages).includes('following')) return daemon
  throw new Error('the daemon ended before it followed its servers')
}

async function kill9(daemon: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => daemon.once('exit', resolve))
  daemon.kill('SIGKILL')
  await ended
}

async function readProcesses(fixture: KeeperFixture) {
  const runs = (await fixture.states()).flatMap(({ runs }) => runs)
  return runs.flatMap(({ process }) => (process ? [process] : [])).toSorted((a, b) => a.pid - b.pid)
}
