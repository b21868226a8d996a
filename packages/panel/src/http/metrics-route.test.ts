import { getConsole } from '@innkeeper/contract/servers/node-servers'
import { renameServer } from '@innkeeper/contract/servers/servers'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { type OpenMetricsContentType, Registry } from 'prom-client'
import { expect } from 'vitest'
import { recordBackup } from '../settings/last-backup.ts'
import { test as base, TestPanel } from '../testing/test-panel.ts'

const token = 'a-token-for-metrics'
const authorization = `Bearer ${token}`

/** A panel that serves metrics to requests with a token, but to none from the address 203.0.113.9. */
const test = base.extend<{ testPanel: TestPanel }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  testPanel: async ({}, use) => {
    const registry = new Registry<OpenMetricsContentType>()
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
    const testPanel = await TestPanel.start({
      metrics: {
        registry,
        access: ({ address, authorization: given }) =>
          address === '203.0.113.9' ? 'hidden' : given === authorization ? 'allowed' : 'unauthorized',
      },
    })
    await use(testPanel)
    await testPanel.stop()
  },
})

async function scrape({ panel }: TestPanel): Promise<string> {
  const { statusCode, headers, body } = await panel.app.inject({
    url: '/metrics',
    headers: { authorization, accept: 'application/openmetrics-text' },
  })
  expect([statusCode, headers['content-type']]).toEqual([
    200,
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  ])
  expect(body).toMatch(/\n# EOF\n$/)
  return body
}

/** The lines of one metric, without those that explain it. */
const parseLines = (text: string, name: string) =>
  text.split('\n').filter((line) => RegExp(`^${name}(\\{| )`).test(line))

base('a panel without metrics has no such page', async ({ testPanel }) => {
  const { statusCode, body } = await testPanel.panel.app.inject({ url: '/metrics', headers: { authorization } })

  expect([statusCode, JSON.parse(body).error.code]).toEqual([404, 'ErrNotFound'])
})

test('metrics need a token, and do not exist for other addresses', async ({ testPanel: { panel } }) => {
  const anonymous = await panel.app.inject({ url: '/metrics' })
  const foreign = await panel.app.inject({ url: '/metrics', headers: { authorization }, remoteAddress: '203.0.113.9' })

  expect([anonymous.statusCode, anonymous.json().error.code]).toEqual([401, 'ErrTokenInvalid'])
  expect(anonymous.headers['www-authenticate']).toMatch(/^Bearer/)
  expect([foreign.statusCode, foreign.json().error.code]).toEqual([404, 'ErrNotFound'])
})

test('requests are counted by the pattern of their route', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const id = await testPanel.server()
  await testPanel.send(getSelf, {}, admin)
  await testPanel.send(getSelf, {})
  await testPanel.send(renameServer, { params: { id, name: 'plain-name' } }, admin)
  await testPanel.request('GET', `/proxy/daemon/server/${id}/console?time=1&secret=1`, undefined, admin)
  await testPanel.request('GET', '/api/no/such/secret/path', undefined, admin)

  const text = await scrape(testPanel)

  const counted = parseLines(text, 'innkeeper_panel_http_request_duration_seconds_count')
  const count = (method: string, route: string, status: number) =>
    `innkeeper_panel_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"} 1`
  expect(counted).toEqual([
    count('GET', getSelf.path, 200),
    count('GET', getSelf.path, 401),
    count('PUT', renameServer.path, 204),
    count('GET', getConsole.path, 200),
    count('GET', 'none', 404),
  ])
  expect(text).not.toContain('secret')
})

test('users, sessions, servers, nodes and mails are counted', async ({ testPanel }) => {
  await testPanel.admin()
  await testPanel.createUser()
  const id = await testPanel.server({ name: 'Café "C:\\"\nnew line' })
  const mail = { kind: 'accountCreation', recipient: 'a@example.org', recipient_key: 'a@example.org', sender_id: null }
  const rest = { language: 'en_US', facts: '{}', tries: 0, created_at: 0, next_at: Date.now() + 1e9, ended_at: null }
  const states = ['waiting', 'failed', 'failed', 'sent']
  const mails = states.map((state, at) => ({ ...mail, ...rest, id: String(at), state, lease: '', last_error: '' }))
  await testPanel.db.insertInto('mails').values(mails).execute()
  await recordBackup(testPanel.databaseUrl, 1_700_000_000_000)

  const text = await scrape(testPanel)

  expect(parseLines(text, 'innkeeper_panel_database_up')).toEqual(['innkeeper_panel_database_up 1'])
  expect(parseLines(text, 'innkeeper_panel_users')).toEqual(['innkeeper_panel_users 2'])
  expect(parseLines(text, 'innkeeper_panel_sessions')).toEqual(['innkeeper_panel_sessions 2'])
  expect(parseLines(text, 'innkeeper_panel_servers')).toEqual(['innkeeper_panel_servers 1'])
  expect(parseLines(text, 'innkeeper_server_info')).toEqual([
    `innkeeper_server_info{server="${id}",name="Café \\"C:\\\\\\"\\nnew line",node="LocalNode"} 1`,
  ])
  expect(parseLines(text, 'innkeeper_panel_nodes')).toContain('innkeeper_panel_nodes{state="waiting"} 1')
  expect(parseLines(text, 'innkeeper_panel_node_state')).toContain(
    'innkeeper_panel_node_state{id="0",node="LocalNode",state="waiting"} 1',
  )
  expect(parseLines(text, 'innkeeper_panel_mails')).toEqual([
    'innkeeper_panel_mails{state="waiting"} 1',
    'innkeeper_panel_mails{state="failed"} 2',
  ])
  expect(parseLines(text, 'innkeeper_panel_last_backup_timestamp_seconds')).toEqual([
    'innkeeper_panel_last_backup_timestamp_seconds 1700000000',
  ])
})

test('while the database is unavailable, the rest is still served', async ({ testPanel }) => {
  await testPanel.db.schema.dropTable('mails').execute()

  const text = await scrape(testPanel)

  expect(parseLines(text, 'innkeeper_panel_database_up')).toEqual(['innkeeper_panel_database_up 0'])
  expect(parseLines(text, 'innkeeper_panel_users')).toEqual([])
  expect(parseLines(text, 'innkeeper_panel_live_sockets')).toEqual(['innkeeper_panel_live_sockets 0'])
})
