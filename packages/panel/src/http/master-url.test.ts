import { once } from 'node:events'
import { sessionCookie } from '@innkeeper/contract/accounts/auth'
import { listServers } from '@innkeeper/contract/servers/servers'
import { putSetting } from '@innkeeper/contract/settings/settings'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { TestPanel } from '../testing/test-panel.ts'

test('behind a proxy that terminates TLS, the master URL decides the allowed origin and secure cookies', async () => {
  const admin = { username: 'keeper', email: 'keeper@example.org', password: 'long enough' }
  const testPanel = await TestPanel.start({ masterUrl: 'https://panel.example.org', admin })
  const id = await testPanel.server()
  const { url } = await testPanel.panel.listen()
  expect(url).toBe('https://panel.example.org')
  const address = testPanel.panel.app.server.address()
  const port = typeof address === 'object' ? address?.port : undefined

  const response = await testPanel.panel.app.inject({
    method: 'POST',
    url: '/auth/login',
    headers: { host: 'panel.example.org' },
    payload: admin,
  })
  const cookie = String(response.headers['set-cookie'])
  expect(cookie).toMatch(/; Secure(;|$)/)

  const headers = { cookie: cookie.split(';')[0] ?? '', origin: 'https://panel.example.org' }
  expect(headers.cookie).toContain(sessionCookie)
  const socket = new WebSocket(`ws://127.0.0.1:${port}/proxy/daemon/socket/${id}`, { headers })
  await once(socket, 'open')
  await testPanel.stop()
})

test('a stored master URL applies immediately, and survives a restart', async () => {
  const testPanel = await TestPanel.start()
  const admin = await testPanel.admin()
  await testPanel.server()

  const body = { value: 'https://panel.example.org' }
  await testPanel.send(putSetting, { params: { key: 'panel.settings.masterUrl' }, body }, admin)

  const { answer } = await testPanel.send(listServers, { query: {} }, admin)
  expect(answer.servers[0]?.node).toMatchObject({ publicHost: 'panel.example.org', publicPort: 443 })
  const restarted = await TestPanel.start({ databaseUrl: testPanel.databaseUrl })
  expect((await restarted.send(listServers, { query: {} }, admin)).answer.servers[0]?.node.publicHost).toBe(
    'panel.example.org',
  )
  await restarted.stop()
  await testPanel.stop()
})
