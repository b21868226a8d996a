import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import { getStatus, startServer, stopServer } from '@innkeeper/contract/node-servers'
import { createServer, getUsage, listServers, type ServerUsage } from '@innkeeper/contract/servers'
import { RunFolder, runFolderOf } from '@innkeeper/daemon/keeper/run-folder'
import { readStates } from '@innkeeper/daemon/keeper/state-file'
import { TestNode } from '@innkeeper/daemon/testing/daemon'
import { quantile } from './figures.ts'
import { cpuSecondsOf, memoryMiBOf, openFilesOf, zombiesBelow } from './process-figures.ts'
import { Product } from './product.ts'

/** What was measured of something that has no reference, and whether it is what we want. */
export interface Observation {
  readonly name: string
  readonly isMet: boolean
  readonly figures: string
}

const wait = { wait: true }
const idle = 'sh -c "read stop"'
const idOf = (at: number) => at.toString(16).padStart(8, '0')

/** So many servers on a daemon that is a process of its own. */
async function nodeWith(count: number): Promise<TestNode> {
  const node = await TestNode.start({ apart: true })
  for (let at = 0; at < count; at++) {
    const environment = { type: at % 2 === 0 ? 'standard' : 'tty' }
    await node.client.create(idOf(at), { command: idle, stop: 'stop' }, { environment })
  }
  return node
}

/** A thousand real starts and stops, ten servers at a time: nothing may be left of them. */
export async function cycles(): Promise<Observation> {
  const [servers, rounds] = [10, 100]
  await using node = await nodeWith(servers)
  const cycle = async (times: number) => {
    await Promise.all(
      Array.from({ length: servers }, async (_, at) => {
        const params = { id: idOf(at) }
        for (let time = 0; time < times; time++)
          for (const call of [startServer, stopServer]) {
            const { status } = await node.client.send(call, { params, query: wait })
            if (status !== 204) throw new Error(`${call.path} was answered with ${status}`)
          }
      }),
    )
    await pause(settleMs)
  }
  await cycle(10)
  const processes = { daemon: node.pid, keeper: await keeperOf(node.dataDir) }
  const look = () =>
    Object.entries(processes).map(([name, pid]) => ({ name, files: openFilesOf(pid), memory: memoryMiBOf(pid) }))
  const looks = [look()]
  const began = performance.now()

  for (let quarter = 0; quarter < 4; quarter++) {
    await cycle(rounds / 4)
    looks.push(look())
  }

  const seconds = (performance.now() - began - 4 * settleMs) / 1000
  const zombies = Object.values(processes).reduce((sum, pid) => sum + zombiesBelow(pid), 0)
  const grew = Object.keys(processes).map((name, at) => {
    const files = looks.map((look) => look[at]?.files ?? Number.NaN)
    const memory = looks.map((look) => look[at]?.memory ?? Number.NaN)
    // The heap finds its size first; what leaks grows in every quarter alike.
    const isSteady = (files.at(-1) ?? 0) <= (files[0] ?? 0) + servers && (memory[4] ?? 0) - (memory[2] ?? 0) < 8
    const [filesText, memoryText] = [files, memory].map((of) => of.map((value) => value.toFixed(0)).join(' → '))
    return { isSteady, text: `${name}: files ${filesText}, memory ${memoryText} MiB` }
  })
  return {
    name: `servers: ${servers * rounds} starts and stops`,
    isMet: zombies === 0 && grew.every(({ isSteady }) => isSteady),
    figures: [`${seconds.toFixed(0)} s`, `${zombies} zombies`, ...grew.map(({ text }) => text)].join('; '),
  }
}

const settleMs = 5_000

/** What two hundred servers that do nothing cost, with their statistics measured and kept. */
export async function idling(): Promise<Observation> {
  const [servers, seconds] = [200, 60]
  await using node = await nodeWith(servers)
  for (let at = 0; at < servers; at++) await node.client.send(startServer, { params: { id: idOf(at) }, query: wait })
  await pause(settleMs)
  const keeper = await keeperOf(node.dataDir)
  const before = [node.pid, keeper].map(cpuSecondsOf)

  await pause(seconds * 1000)

  const [daemonCpu = 0, keeperCpu = 0] = [node.pid, keeper].map(
    (pid, at) => ((cpuSecondsOf(pid) - (before[at] ?? 0)) / seconds) * 100,
  )
  const memory = memoryMiBOf(node.pid)
  return {
    name: `servers: ${servers} that do nothing`,
    isMet: daemonCpu < 2 && memory < 150,
    figures: [
      `daemon ${daemonCpu.toFixed(2)} % of a core (< 2), ${memory.toFixed(0)} MiB (< 150)`,
      `keeper ${keeperCpu.toFixed(2)} %, ${memoryMiBOf(keeper).toFixed(0)} MiB`,
    ].join('; '),
  }
}

/** How long the panel's calls take while fifty servers start with their node, each with work for about a second. */
export async function storm(): Promise<Observation> {
  const servers = 50
  await using product = await Product.start()
  const command = 'sh -c "i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done; echo up; read stop"'
  const ids: string[] = []
  for (let at = 0; at < servers; at++) {
    const body = { name: `storm ${at}`, type: 'bench', run: { command, stop: 'stop', autostart: true }, data: {} }
    ids.push((await product.ask<{ id: string }>(createServer, { body })).id)
  }
  await product.restart()

  const began = performance.now()
  const took: number[] = []
  const timed = async <T>(asking: Promise<T>): Promise<T> => {
    const from = performance.now()
    const answer = await asking
    took.push(performance.now() - from)
    return answer
  }
  for (let online = 0; online < servers && performance.now() - began < stormMs; ) {
    const [, , usage] = await Promise.all([
      timed(product.ask(listServers, { query: { limit: limits.pageSizeMax } })),
      timed(product.ask(getStatus, { params: { id: ids[0] } })),
      timed(product.ask<ServerUsage[]>(getUsage, { query: { ids: ids.join(',') } })),
    ])
    online = usage.filter(({ status }) => status?.running).length
    await pause(50)
  }
  const seconds = (performance.now() - began) / 1000
  const at = (part: number) => quantile(took, part)
  return {
    name: `servers: ${servers} start with their node`,
    isMet: at(0.95) < 300 && seconds * 1000 < stormMs,
    figures: `all run after ${seconds.toFixed(0)} s; ${took.length} calls meanwhile: median ${at(0.5).toFixed(0)} ms, p95 ${at(0.95).toFixed(0)} ms (< 300), longest ${at(1).toFixed(0)} ms`,
  }
}

/** Fifty times the longest wait of each, and some. */
const stormMs = 50 * limits.autostartMaxDelayMs + 60_000

/** The process that holds the servers of a node. */
export async function keeperOf(dataDir: string): Promise<number> {
  using folder = new RunFolder(runFolderOf(dataDir))
  const [state] = await readStates(folder, () => {})
  if (!state) throw new Error('There is no keeper')
  return state.keeper.pid
}

export function observationLine({ name, isMet, figures }: Observation): string {
  return [isMet ? 'ok  ' : 'MISS', name.padEnd(44), figures].join('  ')
}
