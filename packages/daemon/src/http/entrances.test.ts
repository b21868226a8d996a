import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { limits } from '@innkeeper/contract/limits'
import { liveSocketPath } from '@innkeeper/contract/node-servers'
import { Refusal } from '@innkeeper/contract/refusals'
import { audienceOf, requestPurpose, socketPurpose, type Ticket } from '@innkeeper/contract/ticket'
import { type CryptoKey, generateKeyPair, SignJWT } from 'jose'
import { pino } from 'pino'
import { test as base, expect } from 'vitest'
import { WebSocket } from 'ws'
import { createApp } from './app.ts'
import { ticketVerifier } from './tickets.ts'

const nodeId = 3
const id = '0a0a0a0a'

/** An entry point of a node. */
interface Entrance {
  readonly name: string
  readonly purpose: string
  /** Whether it is only for the panel. */
  readonly isForPanel: boolean
  /** The status of the response. */
  knock(authorization: string | undefined): Promise<number>
}

interface Gate {
  /** The address it listens on. */
  readonly url: string
  /** All routes of the node, so that a new one is included automatically. */
  readonly entrances: readonly Entrance[]
  ticket(entrance: Entrance, wrong?: Partial<Ticket>): Promise<string>
  forged(entrance: Entrance): Promise<string>
}

/** The HTTP server of a node without servers: an authorized request gets "not found". */
const test = base.extend<{ gate: Gate }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  gate: async ({}, use) => {
    const [ours, foreign] = await Promise.all([generateKeyPair('Ed25519'), generateKeyPair('Ed25519')])
    const nothing = nothingThere()
    const tickets = ticketVerifier({ nodeId, keys: { find: async () => ours.publicKey } })
    const deps = { servers: nothing, work: nothing, uploads: nothing, tasks: nothing, features: nothing, tickets }
    const side = createApp({ ...deps, log: pino({ level: 'silent' }) } as never)
    const entrances: Entrance[] = []
    side.app.addHook('onRoute', ({ method, url, onRequest }) => {
      if (onRequest === undefined) return
      const path = url.replace(':id', id).replace(/:\w+/g, '0b0b').replace('*', 'a%20folder/a.txt')
      for (const one of [method].flat() as 'GET'[])
        entrances.push({
          name: `${one} ${url}`,
          purpose: requestPurpose(one, path),
          isForPanel:
            ['/daemon/features', '/daemon/usage', '/daemon/ports', '/daemon/programs'].includes(url) ||
            isMaking(one, url),
          async knock(authorization) {
            const headers = authorization === undefined ? {} : { authorization }
            return (await side.app.inject({ method: one, url: `${path}?a=b`, headers })).statusCode
          },
        })
    })
    const url = await side.app.listen({ host: '127.0.0.1', port: 0 })
    entrances.push({
      name: 'the live socket',
      purpose: socketPurpose,
      isForPanel: false,
      knock: (authorization) => knockAtSocket(url.replace('http', 'ws'), authorization),
    })
    const sign = (key: CryptoKey) => async (entrance: Entrance, wrong?: Partial<Ticket>) => {
      const iat = Math.floor(Date.now() / 1000)
      const ticket: Ticket = {
        aud: audienceOf(nodeId),
        jti: randomBytes(16).toString('base64url'),
        iat,
        exp: iat + limits.ticketLifeMs / 1000,
        sub: 'user:1',
        rights: entrance.isForPanel ? ['node'] : ['admin'],
        purpose: entrance.purpose,
        ...(entrance.isForPanel ? {} : { server: id }),
        ...wrong,
      }
      return new SignJWT({ ...ticket }).setProtectedHeader({ alg: 'EdDSA' }).sign(key)
    }
    await use({
      url,
      entrances,
      ticket: sign(ours.privateKey),
      forged: sign(foreign.privateKey),
    })
    await side.close()
  },
})

/** The panel creates and removes servers. */
const isMaking = (method: string, url: string) => url === '/daemon/server/:id' && ['PUT', 'DELETE'].includes(method)

/** Every request for it is "not found". */
function nothingThere(): unknown {
  const refuse = () => {
    throw new Refusal('ErrServerNotFound')
  }
  return new Proxy(refuse, { get: () => refuse })
}

function knockAtSocket(url: string, authorization: string | undefined): Promise<number> {
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
const wrongTickets: Readonly<Record<string, (gate: Gate, entrance: Entrance) => Promise<string> | string | undefined>> =
  {
    'a missing ticket': () => undefined,
    'a malformed ticket': () => 'of.no.use',
    'one with a foreign signature': ({ forged }, entrance) => forged(entrance),
    'an unsigned one': async ({ ticket }, entrance) => {
      const [, payload] = (await ticket(entrance)).split('.')
      return `${encoded({ alg: 'none' })}.${payload}.`
    },
    'one that was altered': async ({ ticket }, entrance) => {
      const [head, payload = '', signature] = (await ticket(entrance)).split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Ticket
      return `${head}.${encoded({ ...claims, jti: randomBytes(16).toString('base64url') })}.${signature}`
    },
    'one for another node': ({ ticket }, entrance) => ticket(entrance, { aud: audienceOf(nodeId + 1) }),
    'one for another server': ({ ticket }, entrance) => ticket(entrance, { server: '0c0c0c0c' }),
    'one for another request': ({ ticket }, entrance) =>
      ticket(entrance, { purpose: `GET /daemon/server/${id}/other` }),
    'one that has expired': ({ ticket }, entrance) => ticket(entrance, { iat: now() - 200, exp: now() - 140 }),
    'one of the future': ({ ticket }, entrance) => ticket(entrance, { iat: now() + 300, exp: now() + 360 }),
    'one that lives too long': ({ ticket }, entrance) => ticket(entrance, { exp: now() + 3_600 }),
  }

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

test.for(Object.entries(wrongTickets))('no entry point accepts %s', async ([, make], { gate }) => {
  const letIn: string[] = []
  for (const entrance of gate.entrances) {
    const ticket = await make(gate, entrance)
    const status = await entrance.knock(ticket === undefined ? undefined : `Bearer ${ticket}`)
    if (status !== 401) letIn.push(`${entrance.name}: ${status}`)
  }

  expect(gate.entrances.length).toBeGreaterThan(45)
  expect(letIn).toEqual([])
})

test('every entry point accepts its ticket once, not twice', async ({ gate }) => {
  const received: string[] = []
  for (const entrance of gate.entrances) {
    const authorization = `Bearer ${await gate.ticket(entrance)}`
    const [first, second] = [await entrance.knock(authorization), await entrance.knock(authorization)]
    if (first === 401 || first === 403 || second !== 401) received.push(`${entrance.name}: ${first}, then ${second}`)
  }

  expect(received).toEqual([])
})

test('users cannot call endpoints of the panel, and the other way round', async ({ gate }) => {
  const letIn: string[] = []
  for (const entrance of gate.entrances) {
    const wrong = entrance.isForPanel ? { rights: ['admin'] as const } : { rights: ['node'] as const }
    const status = await entrance.knock(`Bearer ${await gate.ticket(entrance, { rights: [...wrong.rights] })}`)
    if (status !== 403) letIn.push(`${entrance.name}: ${status}`)
  }

  expect(letIn).toEqual([])
})

test.for(['GET /daemon HTTP/1.1', `GET /daemon/socket/${id} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket`])(
  'two Host headers are refused: %j',
  async (start, { gate }) => {
    const socket = connect(Number(new URL(gate.url).port), '127.0.0.1')
    socket.write(`${start}\r\nHost: node\r\nHost: other\r\n\r\n`)

    const [head] = await once(socket, 'data')

    expect(String(head)).toMatch(/^HTTP\/1.1 400 /)
    socket.destroy()
  },
)
