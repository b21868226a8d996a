import { listActivity } from '@innkeeper/contract/activity/activity'
import * as calls from '@innkeeper/contract/servers/dns-names'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { deleteServer } from '@innkeeper/contract/servers/servers'
import { postSettings } from '@innkeeper/contract/settings/settings'
import { putTemplate } from '@innkeeper/contract/templates/templates'
import { expect, test, vi } from 'vitest'
import { apiKey, DnsServer, otherZone, tsigKey, zone } from '../testing/dns-servers.ts'
import { TestPanel } from '../testing/test-panel.ts'
import { powerDns } from './powerdns.ts'
import { rfc2136 } from './rfc2136.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const template = {
  type: 'minecraft-java',
  data: { ip: { value: '0.0.0.0' }, port: { value: '25565' } },
  run: { command: 'true' },
  srv: { service: 'minecraft', protocol: 'tcp' },
}
const never = new AbortController().signal
const providers = {
  bind: {
    start: () => DnsServer.bind(),
    settings: ({ port }: DnsServer) => ({
      ...{ 'panel.dns.provider': 'rfc2136', 'panel.dns.zone': zone, 'panel.dns.server': `127.0.0.1:${port}` },
      ...{ 'panel.dns.keyName': tsigKey.name, 'panel.dns.key': tsigKey.secret },
    }),
    open: rfc2136,
  },
  powerDns: {
    start: () => DnsServer.powerDns(),
    settings: ({ url }: DnsServer) => ({
      ...{ 'panel.dns.provider': 'powerdns', 'panel.dns.zone': zone, 'panel.dns.url': url, 'panel.dns.key': apiKey },
    }),
    open: powerDns,
  },
} as const

test.for(['bind', 'powerDns'] as const)(
  'the name of a server is written, read back, follows its port, and is removed with it: %s',
  async (type) => {
    const { start, settings, open } = providers[type]
    await using dns = await start()
    const chosen = settings(dns)
    const provider = open(chosen as never)
    const testPanel = await TestPanel.start({
      masterUrl: 'http://192.0.2.7',
      dns: { pollMs: 100, dueMs: 100, checkMs: 100 },
    })
    const admin = await testPanel.admin()
    await testPanel.send(putTemplate, { params: { name: 'game' }, body: template }, admin)
    const body = { ...template, name: 'My Löbby', node: 0, template: 'game' }
    const created = await testPanel.send(createServer, { body }, admin)
    expect(created.refusal).toBeUndefined()
    const { id } = created.answer
    const user = await testPanel.createUser({ on: { [id]: ['editServerData'] } })
    const params = { id }
    const read = async () => (await testPanel.send(calls.getDnsName, { params }, user)).answer
    const put = (label: string) => testPanel.send(calls.putDnsName, { params, body: { label } }, user)
    const untilState = (state: string) =>
      vi.waitFor(async () => expect((await read()).name?.state).toBe(state), { timeout: 30_000, interval: 100 })
    const srvOf = (name: string) => dns.resolve(`_minecraft._tcp.${name}`, 'SRV')

    // Without a zone there are no names.
    expect((await put('lobby')).refusal).toBe('ErrNoDnsZone')
    expect((await testPanel.send(postSettings, { body: chosen as never }, admin)).status).toBe(204)
    expect(await read()).toEqual({ zone, name: null, proposal: 'my-lobby' })
    expect((await put('-no')).status).toBe(400)
    // What is in the zone already is not replaced.
    await provider.replace([{ name: `www.${zone}`, type: 'A', values: ['198.51.100.1'] }], never)
    expect((await put('www')).refusal).toBe('ErrDnsNameTaken')

    expect((await put('Lobby')).status).toBe(200)
    await untilState('correct')
    expect(await dns.resolve(`lobby.${zone}`, 'A')).toEqual(['192.0.2.7'])
    expect(await srvOf(`lobby.${zone}`)).toMatchObject([{ port: 25_565, name: `lobby.${zone}` }])

    // The port changes.
    await testPanel.db.updateTable('servers').set({ port: 25_570 }).where('id', '=', id).execute()
    await vi.waitFor(async () => expect(await srvOf(`lobby.${zone}`)).toMatchObject([{ port: 25_570 }]), {
      timeout: 30_000,
      interval: 100,
    })

    // The server listens on an address of its own, of IPv6, and then on all addresses again.
    const listenOn = (ip: string) => testPanel.db.updateTable('servers').set({ ip }).where('id', '=', id).execute()
    const addressesOf = async (name: string) => [await dns.resolve(name, 'A'), await dns.resolve(name, 'AAAA')]
    await listenOn('2001:db8::7')
    const wait = { timeout: 30_000, interval: 100 }
    await vi.waitFor(async () => expect(await addressesOf(`lobby.${zone}`)).toEqual([[], ['2001:db8::7']]), wait)
    await listenOn('0.0.0.0')
    await vi.waitFor(async () => expect(await addressesOf(`lobby.${zone}`)).toEqual([['192.0.2.7'], []]), wait)
    await untilState('correct')

    // Somebody else changes the record.
    await provider.replace([{ name: `lobby.${zone}`, type: 'A', values: ['198.51.100.2'] }], never)
    await untilState('differs')
    expect((await read()).name?.found).toContainEqual({ name: `lobby.${zone}`, type: 'A', values: ['198.51.100.2'] })
    expect((await testPanel.send(calls.writeDnsName, { params }, user)).status).toBe(200)
    await untilState('correct')
    expect(await dns.resolve(`lobby.${zone}`, 'A')).toEqual(['192.0.2.7'])

    // Another name replaces the first one, which is free again.
    await put('arena')
    await untilState('correct')
    await vi.waitFor(async () => expect(await dns.resolve(`lobby.${zone}`, 'A')).toEqual([]), { timeout: 30_000 })
    expect(await srvOf(`lobby.${zone}`)).toEqual([])

    // The names go to another zone, and back.
    await testPanel.send(postSettings, { body: { 'panel.dns.zone': otherZone } }, admin)
    const moved = [['192.0.2.7'], []]
    await vi.waitFor(async () => expect(await addressesOf(`arena.${otherZone}`)).toEqual(moved), wait)
    expect(await srvOf(`arena.${otherZone}`)).toMatchObject([{ port: 25_570 }])
    expect((await read()).name?.name).toBe(`arena.${otherZone}`)
    await testPanel.send(postSettings, { body: { 'panel.dns.zone': zone } }, admin)
    await vi.waitFor(async () => expect((await read()).name?.records[0]?.name).toBe(`arena.${zone}`), wait)
    await untilState('correct')

    // A wrong key is said.
    const wrong = { 'panel.dns.key': Buffer.from('another secret').toString('base64') }
    await testPanel.send(postSettings, { body: wrong }, admin)
    await testPanel.send(calls.writeDnsName, { params }, user)
    await untilState('failed')
    expect((await read()).name?.error).toMatchObject({ code: 'ErrDnsFailed' })
    await testPanel.send(postSettings, { body: { 'panel.dns.key': chosen['panel.dns.key'] } }, admin)
    await testPanel.send(calls.writeDnsName, { params }, user)
    await untilState('correct')

    // The records go with the server.
    await testPanel.send(deleteServer, { params, query: {} }, admin)
    await vi.waitFor(async () => expect(await dns.resolve(`arena.${zone}`, 'A')).toEqual([]), { timeout: 30_000 })
    expect(await srvOf(`arena.${zone}`)).toEqual([])
    const { answer } = await testPanel.send(listActivity, { query: {} }, admin)
    expect(answer.activity.filter(({ action }) => action.startsWith('server.dns.')).length).toBeGreaterThan(4)
    await testPanel.stop()
  },
)
