import { readFileSync } from 'node:fs'
import { Template } from '@innkeeper/contract/definitions/definition'
import { getLivenessReport, listLivenessReports } from '@innkeeper/contract/servers/liveness-reports'
import { getStatus, installServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { getPlayers } from '@innkeeper/contract/servers/players'
import { expect, test, vi } from 'vitest'
import { TestNode } from '../testing/daemon.ts'
import { freePort } from '../testing/target-servers.ts'

const id = '0a0a0a0a'
const params = { id }
const patience = { timeout: 60_000, interval: 100 }

test.for<[string, string, Record<string, string>]>([
  ['OpenArena', 'openarena', {}],
  ['OpenTTD', 'openttd', { mapsize: '7' }],
])(
  '%s from its template does not respond while it is stopped by a signal',
  { timeout: 120_000 },
  async ([, name, values]) => {
    await using node = await TestNode.start({ liveness: { secondMs: 40 } })
    const { client } = node
    const file = new URL(`../../../../templates/${name}/${name}.json`, import.meta.url)
    const definition = Template.parse(JSON.parse(readFileSync(file, 'utf8')))
    for (const [variable, value] of Object.entries({ ip: '127.0.0.1', port: await freePort(), ...values }))
      Object.assign(definition.data[variable] ?? {}, { value })
    await client.asPanel('PUT', `/daemon/server/${id}`, definition)
    for (const call of [installServer, startServer])
      expect((await client.send(call, { params, query: { wait: true } })).status).toBe(204)
    const viewer = await client.watch(id)
    // Only a game that has answered once can fail to do so.
    await vi.waitFor(async () => {
      expect((await client.send(getPlayers, { params })).body.status).toBeDefined()
    }, patience)
    const first = (await node.findProcess(`${id}/main`)) ?? 0

    process.kill(-first, 'SIGSTOP')
    await viewer.untilText('Server does not respond. The game did not answer a query', 60_000)
    const { body: hung } = await client.send(getStatus, { params })
    const [latest] = (await client.send(listLivenessReports, { params })).body
    const { body: report } = await client.send(getLivenessReport, { params: { id, report: latest.id } })
    process.kill(-first, 'SIGCONT')
    await viewer.untilText('Server responds again', 60_000)

    expect(hung).toMatchObject({ state: 'online', notResponding: { reason: 'query' } })
    expect(report.checks).toMatchObject([{ type: 'query' }])
    expect(report.processes.map(({ threads }: { threads: object }) => Object.keys(threads))).toContainEqual(['T'])
  },
)
