import { getMove, moveServer } from '@innkeeper/contract/moves/moves'
import { putNodePorts } from '@innkeeper/contract/nodes/node-ports'
import { editNode } from '@innkeeper/contract/nodes/nodes'
import { getDnsName, putDnsName } from '@innkeeper/contract/servers/dns-names'
import { listExtraPorts, putExtraPortLimit, takeExtraPort } from '@innkeeper/contract/servers/extra-ports'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getConsole, startServer } from '@innkeeper/contract/servers/node-servers'
import { getServer } from '@innkeeper/contract/servers/servers'
import { postSettings } from '@innkeeper/contract/settings/settings'
import { putTemplate } from '@innkeeper/contract/templates/templates'
import { apiKey, DnsServer, zone } from '@innkeeper/panel/testing/dns-servers'
import { expect, test, vi } from 'vitest'
import { RemoteNode } from './testing/remote-node.ts'
import { TestInstallation } from './testing/test-installation.ts'

const wait = { timeout: 150_000, interval: 200 }
const template = {
  type: 'test',
  data: { port: { value: '43300', type: 'integer' } },
  run: { command: 'sh -c "echo port=${port} map=${extra_port_1}; exec cat"', stopCode: 15 },
  environment: { type: 'standard' },
  srv: { service: 'minecraft', protocol: 'tcp' },
}

test('a server that moves has ports of its new node, and its name leads there', { timeout: 400_000 }, async () => {
  await using dns = await DnsServer.powerDns()
  await using installation = await TestInstallation.start()
  await using node = await RemoteNode.join(installation)
  const settings = {
    ...{ 'panel.settings.masterUrl': 'http://192.0.2.7', 'panel.dns.provider': 'powerdns', 'panel.dns.zone': zone },
    ...{ 'panel.dns.url': dns.url, 'panel.dns.key': apiKey },
  }
  await installation.send(postSettings, { body: settings as never })
  // The panel reaches it by another address than players do.
  const change = { publicHost: '2001:db8::7', privateHost: '127.0.0.1' }
  await installation.send(editNode, { params: { id: node.id }, body: change as never })
  for (const [id, from] of [[0, 43_300] as const, [node.id, 43_400] as const])
    await installation.send(putNodePorts, {
      params: { id },
      body: { ranges: [{ address: '0.0.0.0', from, to: from + 9 }] },
    })
  await installation.send(putTemplate, { params: { name: 'game' }, body: template as never })
  const definition = { ...template, name: 'lobby', node: 0, template: 'game' }
  const params = await installation.send(createServer, { body: definition as never })
  // Both of its ports are taken on the other node.
  const data = { port: { value: '43300', type: 'integer' }, queryport: { value: '43301', type: 'integer' } }
  const neighbour = { ...definition, name: 'neighbour', data, node: node.id }
  await installation.send(createServer, { body: neighbour as never })
  await installation.send(putExtraPortLimit, { params, body: { limit: 1 } })
  await installation.send(takeExtraPort, { params, body: { note: 'map' } })
  await installation.send(putDnsName, { params, body: { label: 'lobby' } })
  const resolve = async () => ({
    a: await dns.resolve(`lobby.${zone}`, 'A'),
    aaaa: await dns.resolve(`lobby.${zone}`, 'AAAA'),
    srv: await dns.resolve(`_minecraft._tcp.lobby.${zone}`, 'SRV'),
  })
  await vi.waitFor(
    async () => expect(await resolve()).toMatchObject({ a: ['192.0.2.7'], aaaa: [], srv: [{ port: 43_300 }] }),
    wait,
  )
  await installation.send(startServer, { params, query: { wait: 'true' } })

  await installation.send(moveServer, { params, body: { node: node.id } })
  await vi.waitFor(async () => expect((await installation.send(getMove, { params }))?.state).toBe('done'), wait)

  const { server } = await installation.send(getServer, { params, query: {} })
  const { ports } = await installation.send(listExtraPorts, { params })
  expect(ports).toMatchObject([{ name: 'extra_port_1', note: 'map' }])
  const taken = [server.port, ports[0]?.port].map(Number)
  expect(new Set(taken).size).toBe(2)
  for (const port of taken) expect(port >= 43_400 && port <= 43_409, `${port} is of the new node`).toBe(true)
  await vi.waitFor(async () => {
    const { logs } = await installation.send(getConsole, { params, query: {} })
    expect(String(logs)).toContain(`port=${taken[0]} map=${taken[1]}`)
  }, wait)
  await vi.waitFor(
    async () => expect(await resolve()).toMatchObject({ a: [], aaaa: ['2001:db8::7'], srv: [{ port: taken[0] }] }),
    wait,
  )
  await vi.waitFor(
    async () => expect((await installation.send(getDnsName, { params })).name?.state).toBe('correct'),
    wait,
  )
})
