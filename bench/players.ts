import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { getPlayers } from '@innkeeper/contract/servers/players'
import { TestNode } from '@innkeeper/daemon/testing/daemon'
import { getCpuSeconds } from './process-usage.ts'
import type { Observation } from './servers.ts'
import { quantile } from './statistics.ts'

const servers = 200
const rounds = 3
const roundMs = 40_000
/** Until all servers are asked, or not any more. */
const settleMs = 15_000
const wait = { wait: true }
const serverId = (at: number) => at.toString(16).padStart(8, '0')

/** The ports of games in another process, by their type. */
export type GamePorts = Readonly<Record<'minecraft' | 'source' | 'quake3' | 'teeworlds', number>>

/** CPU of a node whose 200 servers are asked for their players every 10 seconds, more than without queries. */
export async function players(): Promise<Observation> {
  using games = fork(fileURLToPath(new URL('players-games.ts', import.meta.url)))
  const [ports] = (await once(games, 'message')) as [GamePorts]
  await using node = await TestNode.start({ apart: true })
  for (let at = 0; at < servers; at++) {
    await node.client.create(serverId(at), { command: 'sh -c "read stop"', stop: 'stop' })
    await node.client.send(startServer, { params: { id: serverId(at) }, query: wait })
  }
  const costs: number[] = []
  let answered = 0
  for (let round = 0; round < rounds; round++) {
    await setQueries(node, undefined)
    const without = await measure(node)
    await setQueries(node, ports)
    const asked = await measure(node)
    answered = await countAnswers(node)
    costs.push(asked - without)
  }
  const percent = quantile(costs, 0.5) * 100
  return {
    name: `players: ${servers} games asked every 10 s`,
    isGoalMet: percent < 1.5 && answered === servers,
    details: [
      `${percent.toFixed(2)} % of a core more than without queries (< 1.5)`,
      `rounds ${costs.map((cost) => (cost * 100).toFixed(2)).join(', ')}`,
      `${answered} games answer`,
    ].join('; '),
  }
}

/** Without ports, no game is asked. */
async function setQueries(node: TestNode, ports: GamePorts | undefined): Promise<void> {
  const types = Object.entries(ports ?? {})
  for (let at = 0; at < servers; at++) {
    const [type, port] = types[at % types.length] ?? []
    const body = {
      type: 'test',
      run: { command: 'sh -c "read stop"', stop: 'stop' },
      data: { ip: { value: '127.0.0.1' } },
      ...(type && { query: { type, port } }),
    }
    await node.client.send(putDefinition, { params: { id: serverId(at) }, body })
  }
}

/** The part of a core that the node uses while somebody looks at players. */
async function measure(node: TestNode): Promise<number> {
  await look(node)
  await pause(settleMs)
  await look(node)
  const [cpu, startedAt] = [getCpuSeconds(node.pid), performance.now()]
  await pause(roundMs)
  return (getCpuSeconds(node.pid) - cpu) / ((performance.now() - startedAt) / 1000)
}

const look = (node: TestNode) => node.client.send(getPlayers, { params: { id: serverId(0) } })

async function countAnswers(node: TestNode): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: servers }, (_, at) => node.client.send(getPlayers, { params: { id: serverId(at) } })),
  )
  return answers.filter(({ body }) => body.status).length
}
