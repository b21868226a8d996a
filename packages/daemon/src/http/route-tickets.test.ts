import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { connectionLimits } from '@innkeeper/contract/http/connection-limiter'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { formatSessionTicket, type NodeSession } from '@innkeeper/contract/node-link/session'
import {
  getAudience,
  requestPurpose,
  type SessionTicket,
  socketPurpose,
  type Ticket,
} from '@innkeeper/contract/node-link/ticket'
import { liveSocketPath } from '@innkeeper/contract/servers/node-servers'
import { limits } from '@innkeeper/contract/text/limits'
import { type CryptoKey, generateKeyPair, SignJWT } from 'jose'
import { pino } from 'pino'
import { test as base, expect, expectTypeOf } from 'vitest'
import { WebSocket } from 'ws'
import { PanelSessions } from '../panel-link/panel-sessions.ts'
import { createApp } from './app.ts'
import type { Handlers } from './requests/serve.ts'
import { ticketVerifier } from './requests/tickets.ts'

const nodeId = 3
const id = '0a0a0a0a'

/** A route of a node, or its live socket. */
interface Route {
  readonly name: string
  readonly purpose: string
  /** Whether it is only for the panel. */
  readonly isForPanel: boolean
  /** The status of the response. */
  request(authorization: string | undefined): Promise<number>
}

interface NodeRoutes {
  /** The address it listens on. */
  readonly url: string
  /** All routes of the node, so that a new one is included automatically. */
  readonly routes: readonly Route[]
  ticket(route: Route, wrong?: Partial<Ticket>): Promise<string>
  forged(route: Route): Promise<string>
  /** The header `Authorization` of a request within a session. */
  inSession(route: Route, wrong?: Partial<SessionTicket>, session?: NodeSession): string
  readonly session: NodeSession
  /** The panel has other signing keys. */
  replaceKeys(): void
}

/** The HTTP server of a node without servers: an authorized request gets "not found". */
const test = base.extend<{ node: NodeRoutes }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  node: async ({}, use) => {
    const [ours, foreign] = await Promise.all([generateKeyPair('Ed25519'), generateKeyPair('Ed25519')])
    const missing = withoutServers()
    const keys = { generation: 0 }
    const sessions = new PanelSessions(keys)
    const session = sessions.open()
    let number = 0
    const tickets = ticketVerifier({ nodeId, keys: { find: async () => ours.publicKey }, sessions })
    const deps = {
      servers: missing,
      fileOperations: missing,
      uploads: missing,
      tasks: missing,
      features: missing,
      backups: missing,
      tickets,
      sessions,
      connectionLimits: connectionLimits().node,
    }
    const http = createApp({ ...deps, log: pino({ level: 'silent' }) } as never)
    const routes: Route[] = []
    http.app.addHook('onRoute', ({ method, url, onRequest }) => {
      if (onRequest === undefined) return
      const path = url.replace(':id', id).replace(/:\w+/g, '0b0b').replace('*', 'a%20folder/a.txt')
      for (const one of [method].flat() as 'GET'[])
        routes.push({
          name: `${one} ${url}`,
          purpose: requestPurpose(one, path),
          isForPanel: forPanel.has(`${one} ${url}`),
          async request(authorization) {
            const headers = authorization === undefined ? {} : { authorization }
            return (await http.app.inject({ method: one, url: `${path}?a=b`, headers })).statusCode
          },
        })
    })
    const url = await http.app.listen({ host: '127.0.0.1', port: 0 })
    routes.push({
      name: 'the live socket',
      purpose: socketPurpose,
      isForPanel: false,
      request: (authorization) => requestSocket(url.replace('http', 'ws'), authorization),
    })
    const sign = (key: CryptoKey) => async (route: Route, wrong?: Partial<Ticket>) => {
      const iat = Math.floor(Date.now() / 1000)
      const ticket: Ticket = {
        aud: getAudience(nodeId),
        jti: randomBytes(16).toString('base64url'),
        iat,
        exp: iat + limits.ticketLifeMs / 1000,
        sub: 'user:1',
        rights: route.isForPanel ? ['node'] : ['admin'],
        purpose: route.purpose,
        ...(route.isForPanel ? {} : { server: id }),
        ...wrong,
      }
      return new SignJWT({ ...ticket }).setProtectedHeader({ alg: 'EdDSA' }).sign(key)
    }
    await use({
      url,
      routes,
      ticket: sign(ours.privateKey),
      forged: sign(foreign.privateKey),
      session,
      inSession(route, wrong, { id: sessionId, key } = session) {
        const ticket: SessionTicket = {
          iat: now(),
          number: ++number,
          sub: 'user:1',
          rights: route.isForPanel ? ['node'] : ['admin'],
          purpose: route.purpose,
          ...(route.isForPanel ? {} : { server: id }),
          ...wrong,
        }
        return formatSessionTicket(sessionId, ticket, (text) =>
          createHmac('sha256', Buffer.from(key, 'base64url')).update(text).digest('base64url'),
        )
      },
      replaceKeys: () => {
        keys.generation++
      },
    })
    await http.close()
  },
})

/** Methods and paths of the endpoints that only the panel calls. */
const forPanel = new Set(Object.values(panelEndpoints).map(({ method, path }) => `${method} ${path}`))

/** Every request for it is "not found". */
function withoutServers(): unknown {
  const refuse = () => {
    throw new Refusal('ErrServerNotFound')
  }
  const missing: unknown = new Proxy(refuse, { get: () => missing })
  return missing
}

function requestSocket(url: string, authorization: string | undefined): Promise<number> {
  const headers = authorization === undefined ? {} : { authorization }
  const socket = new WebSocket(url + liveSocketPath.replace(':id', id), { headers })
  return new Promise((resolve, reject) => {
    socket.on('open', () => reject(new Error('there is a server')))
    socket.on('unexpected-response', (request, { statusCode = 0 }) => {
      request.destroy()
      resolve(statusCode)
    })
  })
}

const now = () => Math.floor(Date.now() / 1000)
const wrongTickets: Readonly<Record<string, (node: NodeRoutes, route: Route) => Promise<string> | string | undefined>> =
  {
    'a missing ticket': () => undefined,
    'a malformed ticket': () => 'of.no.use',
    'one with a foreign signature': ({ forged }, route) => forged(route),
    'an unsigned one': async ({ ticket }, route) => {
      const [, payload] = (await ticket(route)).split('.')
      return `${encoded({ alg: 'none' })}.${payload}.`
    },
    'one that was altered': async ({ ticket }, route) => {
      const [head, payload = '', signature] = (await ticket(route)).split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Ticket
      return `${head}.${encoded({ ...claims, jti: randomBytes(16).toString('base64url') })}.${signature}`
    },
    'one for another node': ({ ticket }, route) => ticket(route, { aud: getAudience(nodeId + 1) }),
    'one for another server': ({ ticket }, route) => ticket(route, { server: '0c0c0c0c' }),
    'one for another request': ({ ticket }, route) => ticket(route, { purpose: `GET /daemon/server/${id}/other` }),
    'one that has expired': ({ ticket }, route) => ticket(route, { iat: now() - 200, exp: now() - 140 }),
    'one of the future': ({ ticket }, route) => ticket(route, { iat: now() + 300, exp: now() + 360 }),
    'one that lives too long': ({ ticket }, route) => ticket(route, { exp: now() + 3_600 }),
  }

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

test.for(Object.entries(wrongTickets))('no route accepts %s', async ([, make], { node }) => {
  const accepted: string[] = []
  for (const route of node.routes) {
    const ticket = await make(node, route)
    const status = await route.request(ticket === undefined ? undefined : `Bearer ${ticket}`)
    if (status !== 401) accepted.push(`${route.name}: ${status}`)
  }

  expect(node.routes.length).toBeGreaterThan(45)
  expect(accepted).toEqual([])
})

const wrongInSession: Readonly<Record<string, (node: NodeRoutes, route: Route) => string>> = {
  'a malformed ticket': ({ session }) => `Session ${session.id}.x`,
  'one of an unknown session': ({ inSession, session }, route) => inSession(route, {}, { ...session, id: 'other' }),
  'one with another key': ({ inSession, session }, route) =>
    inSession(route, {}, { ...session, key: randomBytes(32).toString('base64url') }),
  'one that was altered': ({ inSession }, route) => {
    const [session, claims = '', mac] = inSession(route).split('.')
    const ticket = JSON.parse(Buffer.from(claims, 'base64url').toString()) as SessionTicket
    return `${session}.${encoded({ ...ticket, number: ticket.number + 1 })}.${mac}`
  },
  'one for another server': ({ inSession }, route) => inSession(route, { server: '0c0c0c0c' }),
  'one for another request': ({ inSession }, route) => inSession(route, { purpose: `GET /daemon/server/${id}/other` }),
  'one that has expired': ({ inSession }, route) => inSession(route, { iat: now() - 92 }),
  'one of the future': ({ inSession }, route) => inSession(route, { iat: now() + 33 }),
  'one without a number': ({ inSession }, route) => inSession(route, { number: 0 }),
  'one after a change of the signing keys': ({ inSession, replaceKeys }, route) => {
    replaceKeys()
    return inSession(route)
  },
}

test.for(Object.entries(wrongInSession))('no route accepts within a session %s', async ([, make], { node }) => {
  const accepted: string[] = []
  for (const route of node.routes) {
    const status = await route.request(make(node, route))
    if (status !== 401) accepted.push(`${route.name}: ${status}`)
  }

  expect(accepted).toEqual([])
})

test('every route accepts a ticket of a session once, and none of them opens another session', async ({ node }) => {
  const received: string[] = []
  const { method, path } = panelEndpoints.openSession
  for (const route of node.routes) {
    const authorization = node.inSession(route)
    const [first, second] = [await route.request(authorization), await route.request(authorization)]
    const isAccepted = first !== 401 && first !== 403
    if (isAccepted === (route.name === `${method} ${path}`) || second !== 401)
      received.push(`${route.name}: ${first}, then ${second}`)
  }

  expect(received).toEqual([])
})

test('every route accepts its ticket once, not twice', async ({ node }) => {
  const received: string[] = []
  for (const route of node.routes) {
    const authorization = `Bearer ${await node.ticket(route)}`
    const [first, second] = [await route.request(authorization), await route.request(authorization)]
    if (first === 401 || first === 403 || second !== 401) received.push(`${route.name}: ${first}, then ${second}`)
  }

  expect(received).toEqual([])
})

test('users cannot call endpoints of the panel, and the other way round', async ({ node }) => {
  const accepted: string[] = []
  for (const route of node.routes) {
    const wrong = route.isForPanel ? { rights: ['admin'] as const } : { rights: ['node'] as const }
    const status = await route.request(`Bearer ${await node.ticket(route, { rights: [...wrong.rights] })}`)
    if (status !== 403) accepted.push(`${route.name}: ${status}`)
  }

  expect(accepted).toEqual([])
})

test.for(['GET /daemon HTTP/1.1', `GET /daemon/socket/${id} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket`])(
  'two Host headers are refused: %j',
  async (start, { node }) => {
    const socket = connect(Number(new URL(node.url).port), '127.0.0.1')
    socket.write(`${start}\r\nHost: node\r\nHost: other\r\n\r\n`)

    const [head] = await once(socket, 'data')

    expect(String(head)).toMatch(/^HTTP\/1.1 400 /)
    socket.destroy()
  },
)

test('a node does not compile without a handler for each endpoint of the panel', () => {
  expectTypeOf<keyof Handlers<typeof panelEndpoints>>().toEqualTypeOf<keyof typeof panelEndpoints>()
  // @ts-expect-error: all are missing
  const handlers: Handlers<typeof panelEndpoints> = {}
  expect(handlers).toEqual({})
})
