import { once } from 'node:events'
import { sessionCookie } from '@innkeeper/contract/auth'
import { expect, test } from 'vitest'
import WebSocket from 'ws'
import { House } from '../testing/house.ts'

test('behind a proxy that ends https, the master URL says which page is our own and that cookies stay on https', async () => {
  const admin = { username: 'keeper', email: 'keeper@example.org', password: 'long enough' }
  const house = await House.build({ masterUrl: 'https://panel.example.org', admin })
  const id = await house.server()
  const { url } = await house.panel.listen()
  expect(url).toBe('https://panel.example.org')
  const address = house.panel.app.server.address()
  const port = typeof address === 'object' ? address?.port : undefined

  const response = await house.panel.app.inject({
    method: 'POST',
    url: '/auth/login',
    headers: { host: 'panel.example.org' },
    payload: admin,
  })
  const cookie = String(response.headers['set-cookie'])
  expect(cookie).toMatch(/; Secure$/)

  const headers = { cookie: cookie.split(';')[0] ?? '', origin: 'https://panel.example.org' }
  expect(headers.cookie).toContain(sessionCookie)
  const socket = new WebSocket(`ws://127.0.0.1:${port}/proxy/daemon/socket/${id}`, { headers })
  await once(socket, 'open')
  await house.pullDown()
})
