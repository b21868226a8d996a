import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import {
  getStatus,
  installServer,
  killServer,
  restartServer,
  startServer,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { getRunFolder, RunFolder } from './keeper/protocol.ts'
import { readStates } from './keeper/state-file.ts'
import { Supervisor } from './lifecycle/supervisor.ts'
import { bootId, readProcessStat } from './proc/process-stat.ts'
import type { NodeClient } from './testing/daemon.ts'
import { FakeEnvironment } from './testing/fake-environment.ts'
import { until } from './testing/keepers.ts'
import { test as withNode } from './testing/node-test.ts'

const wait = { wait: true }
const servers = Array.from({ length: 10 }, (_, at) => `0000000${at}`)
const rounds = 20

/** Starts and stops all servers this many times. */
async function cycle(client: NodeClient, times: number): Promise<void> {
  const turn = async (id: string) => {
    for (let time = 0; time < times; time++) {
      expect((await client.send(startServer, { params: { id }, query: wait })).status).toBe(204)
      expect((await client.send(stopServer, { params: { id }, query: wait })).status).toBe(204)
    }
  }
  await Promise.all(servers.map(turn))
}

withNode(
  `${servers.length * rounds} servers that came and went leave nothing behind`,
  async ({ node }) => {
    const { client, dataDir } = node
    for (const [at, id] of servers.entries()) {
      const environment = { type: at % 2 === 0 ? 'standard' : 'tty' }
      // An orphan with a session of its own.
      await client.create(id, { command: 'sh -c "setsid sleep 7779 & read stop"', stopCode: 15 }, { environment })
    }
    await cycle(client, 2)
    const keeper = await readKeeper(dataDir)
    await until('the daemon releases the runs', async () => (await readState(dataDir)).runs.length === 0)
    const before = { daemon: openFiles(process.pid), keeper: openFiles(keeper), memory: getMemory(keeper) }

    await cycle(client, rounds)

    await until('the daemon releases the runs', async () => (await readState(dataDir)).runs.length === 0)
    await until('all that was left behind ends', () => sleepers(dataDir) === 0)
    expect(getChildren(keeper)).toEqual([])
    await until('their control groups are gone', () => getGroups(dataDir).length === 0)
    expect(readdirSync(getRunFolder(dataDir)).filter((name) => /\.(in|out)$/.test(name))).toEqual([])
    expect(openFiles(keeper)).toBeLessThanOrEqual(before.keeper)
    // Connections of the test itself come and go as needed.
    expect(openFiles(process.pid)).toBeLessThan(before.daemon + (servers.length * rounds) / 4)
    expect(getMemory(keeper) - before.memory).toBeLessThan(32 * 1024 * 1024)
  },
  120_000,
)

withNode(
  'for any actions in any order the status of a real server is correct',
  async ({ node }) => {
    const { client, dataDir } = node
    const id = '0000000a'
    const run = { command: 'sh -c "read stop; exit 3"', stop: 'stop', autorecover: true }
    await client.create(id, run, { install: [{ type: 'mkdir', target: 'made' }] })
    const calls = [startServer, stopServer, restartServer, killServer, installServer]
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }

    for (let round = 0; round < 40; round++) {
      const asked = Array.from({ length: 1 + random(4) }, () => calls[random(calls.length)] ?? startServer)
      for (const call of asked) await client.send(call, { params: { id } })
      // An action whose outcome is known.
      const isWanted = random(2) === 0
      await client.send(isWanted ? startServer : killServer, { params: { id }, query: wait })
      await until(`the last action of round ${round}`, async () => {
        const { body } = await client.send(getStatus, { params: { id } })
        return body.running === isWanted && body.state === (isWanted ? 'online' : 'offline')
      })
      expect(processesIn(dataDir).length > 0).toBe(isWanted)
    }
  },
  120_000,
)

test('a thousand starts and stops of one server leak nothing', async () => {
  const environment = new FakeEnvironment()
  const supervisor = new Supervisor({
    log: pino({ level: 'silent' }),
    console: {
      say: () => {},
      async follow(run) {
        run.follow(0, () => {})
        await run.exited
      },
    },
    file: { load: () => undefined, save: () => {}, remove: () => {} },
    actions: {
      rules: () => ({ autorestart: true, autorecover: true, expectedExitCode: 0, hasReadyLine: false }),
      watchForReady: () => undefined,
      prepare: async () => {},
      launch: () => environment.start({ key: 'a/main', file: 'game', args: [], cwd: '/', env: {} }),
      encoding: () => undefined,
      stopTimeoutMs: () => 30_000,
      requestStop() {
        environment.last.exit(0)
        return { [Symbol.dispose]: () => {} }
      },
      finish: async () => {},
      install: async () => {},
    },
  })

  for (let time = 0; time < 1_000; time++) {
    await supervisor.request('start').ended
    await supervisor.request('stop').ended
  }

  expect(supervisor.status.state).toBe('offline')
  expect(environment.runs).toHaveLength(1_000)
  expect(environment.runs.every(({ calls }) => calls.at(-1) === 'release')).toBe(true)
})

async function readState(dataDir: string) {
  using folder = new RunFolder(getRunFolder(dataDir))
  const states = await readStates(folder, () => {})
  const state = states.find(({ boot }) => boot === bootId())
  if (!state) throw new Error('there is no keeper')
  return state
}

async function readKeeper(dataDir: string): Promise<number> {
  return (await readState(dataDir)).keeper.pid
}

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

function getMemory(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1024
}

/** All descendants of a process, zombies included. */
function getChildren(parent: number): number[] {
  return processes().filter((pid) => readProcessStat(pid)?.parent === parent)
}

function processes(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger)
}

/** Live processes in the directory of a server. */
function processesIn(dataDir: string): number[] {
  return processes().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${dataDir}/servers/`)
    } catch {
      return false
    }
  })
}

/** Live processes with their working directory below this one. */
function sleepers(dataDir: string): number {
  const script = `for p in /proc/[0-9]*; do case "$(readlink $p/cwd)" in "${dataDir}/"*) grep -q sleep $p/cmdline && echo $p;; esac; done; true`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter(Boolean).length
}

/** The control groups of a node's runs. */
function getGroups(dataDir: string): string[] {
  const script = `find /sys/fs/cgroup -mindepth 3 -type d -path "*/innkeeper/$(printf %s '${join(dataDir)}' | sha256sum | cut -c1-12)/*"; true`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter(Boolean)
}
