import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { alertRetryDelaysMs } from '@innkeeper/contract/alerts/deliver'
import { getAlertId, recoveredAfterMs } from '@innkeeper/contract/alerts/rules'
import type { NodeAlerts as Alerts, NodeAlertChannel } from '@innkeeper/contract/node-link/node-alerts'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import pino from 'pino'
import { test as base, expect, vi } from 'vitest'
import { createPost } from '../network/post.ts'
import { NodeEvents } from '../panel-link/node-events.ts'
import type { Server } from '../servers/server.ts'
import { AlertFile } from './alert-file.ts'
import { NodeAlerts } from './node-alerts.ts'

const lobby = '00c0ffee'
const log = pino({ level: 'silent' })
const pollOptions = { timeout: 10_000, interval: 20 }

/** A node whose panel is away from the beginning, and the receiver of its messages. */
class Node implements AsyncDisposable {
  readonly dataDir: string
  readonly url: string
  readonly received: Record<string, unknown>[] = []
  readonly statuses: number[] = []
  readonly disk = { total: 100, used: 50 }
  status: Pick<ServerStatus, 'state' | 'since' | 'lastExit'> = { state: 'offline', since: new Date(0).toISOString() }
  passedMs = 0
  events!: NodeEvents
  file!: AlertFile
  alerts!: NodeAlerts
  readonly #listener

  private constructor(dataDir: string, listener: ReturnType<typeof createServer>) {
    this.dataDir = dataDir
    this.#listener = listener
    this.url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`
    listener.on('request', (request, response) => {
      let body = ''
      request.on('data', (part: Buffer) => {
        body += part.toString()
      })
      request.on('end', () => {
        this.received.push(JSON.parse(body))
        response.writeHead(this.statuses.shift() ?? 200).end('ok')
      })
    })
  }

  static async start(): Promise<Node> {
    const listener = createServer()
    await once(listener.listen(0, '127.0.0.1'), 'listening')
    const node = new Node(await mkdtemp(join(tmpdir(), 'innkeeper-alerts-')), listener)
    await node.open()
    return node
  }

  async open({ awayMs = 1, allow = [new URL(this.url).host] } = {}): Promise<void> {
    this.events = await NodeEvents.open({ dataDir: this.dataDir, log })
    this.file = await AlertFile.open({ dataDir: this.dataDir, log })
    this.alerts = new NodeAlerts({
      file: this.file,
      events: this.events,
      servers: { find: (id) => (id === lobby ? ({ id, status: this.status } as Server) : undefined) },
      machine: { sample: async () => ({ disk: this.disk }) },
      post: createPost({ allow, version: '0' }),
      awayMs,
      log,
      now: () => Date.now() + this.passedMs,
    })
  }

  /** What the panel has sent before it went away. */
  async connect(channel: Partial<NodeAlertChannel> = {}, rest: Partial<Alerts> = {}): Promise<void> {
    const alerts = ['crashed', 'crashLimit', 'taskFailed', 'diskFull'] as const
    const target = {
      id: 'hook',
      type: 'webhook',
      target: this.url,
      secret: 'whsec_c2VjcmV0',
      language: 'en_US',
    } as const
    await this.file.replace({
      version: '1',
      node: { id: 1, name: 'far' },
      titles: { en_US: { crashed: 'Server crashed' } },
      channels: [{ ...target, alerts: [...alerts], servers: [], quietHours: null, diskFullPercent: 5, ...channel }],
      servers: [{ id: lobby, name: 'lobby' }],
      lasting: [],
      ...rest,
    })
  }

  /** Types of the received messages; `-` for resolved ones. */
  get messages(): string[] {
    return this.received.map(({ type, status }) => (status === 'resolved' ? `-${type}` : String(type)))
  }

  async receives(...messages: string[]): Promise<void> {
    await vi.waitFor(() => expect(this.messages).toEqual(messages), pollOptions)
  }

  async close(): Promise<void> {
    await this.alerts.close()
    await this.events.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
    this.#listener.closeAllConnections()
    this.#listener.close()
    await rm(this.dataDir, { recursive: true })
  }
}

const test = base.extend<{ node: Node }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  node: async ({}, use) => {
    await using node = await Node.start()
    await use(node)
  },
})

test('a crash is sent once while it lasts, and resolved when the server has recovered', async ({ node }) => {
  await node.connect()
  node.status = { state: 'waiting', since: new Date().toISOString() }

  node.events.add({ type: 'crashed', server: lobby, detail: 'Server exited with code 1' })
  node.events.add({ type: 'crashed', server: lobby })
  await node.receives('crashed')
  node.status = { state: 'online', since: new Date().toISOString() }
  node.passedMs = recoveredAfterMs + 1_000
  await node.receives('crashed', '-crashed')

  expect(node.received[0]).toMatchObject({ title: 'Server crashed: lobby', detail: 'Server exited with code 1' })
  await node.alerts.close()
  const reported = node.events.beginReport()
  expect(reported.map(({ type, deliveries = [] }) => [type, deliveries.length])).toEqual([
    ['crashed', 1],
    ['crashed', 0],
    ['serverRecovered', 1],
  ])
  expect(reported[0]?.deliveries).toMatchObject([
    { alert: await getAlertId(1, reported[0]?.id ?? ''), channel: 'hook', state: 'sent', tries: 1 },
  ])
})

test('an alert that the panel has sent is not repeated, but resolved; one that still waits there is left to it', async ({
  node,
}) => {
  const content = { at: 1, detail: '', server: { id: lobby, name: 'lobby' } }
  const lasting = (type: 'taskFailed', subject: string, channels: { informed: string[]; waiting: string[] }) => ({
    key: `${type}:${lobby}:${subject}`,
    id: subject,
    type,
    content,
    ...channels,
  })
  await node.connect(
    {},
    {
      lasting: [
        lasting('taskFailed', 'sent', { informed: ['hook'], waiting: [] }),
        lasting('taskFailed', 'waits', { informed: [], waiting: ['hook'] }),
      ],
    },
  )

  for (const subject of ['sent', 'waits']) {
    node.events.add({ type: 'taskFailed', server: lobby, subject })
    node.events.add({ type: 'taskDone', server: lobby, subject })
  }
  node.events.add({ type: 'taskFailed', server: lobby, subject: 'new' })

  await vi.waitFor(() => expect(node.received).toHaveLength(2), pollOptions)
  expect(node.messages.sort()).toEqual(['-taskFailed', 'taskFailed'])
})

test('a message that is not accepted is retried with the same ID, also after a restart', async ({ node }) => {
  await node.connect()
  node.statuses.push(503)

  node.events.add({ type: 'crashed', server: lobby })
  await vi.waitFor(() => expect(node.events.pending[0]?.deliveries).toMatchObject([{ state: 'waiting' }]), pollOptions)
  await node.close()
  node.passedMs = alertRetryDelaysMs[0] + 1_000
  await node.open()

  await node.receives('crashed', 'crashed')
  expect(new Set(node.received.map(({ id }) => id)).size).toBe(1)
  await vi.waitFor(() => expect(node.events.pending[0]?.deliveries).toMatchObject([{ state: 'sent', tries: 2 }]))
})

test('channels that cannot be used do not hold up the alerts of others', async ({ node }) => {
  const { host } = new URL(node.url)
  const broken = [`http://%zz:%E0%A4%A@${host}/`, 'not a URL', `http://${host}:99999/`]
  const channel = (id: string, target: string): NodeAlertChannel => ({
    id,
    target,
    type: 'webhook',
    secret: 'whsec_c2VjcmV0',
    language: 'en_US',
    alerts: ['crashed'],
    servers: [],
    quietHours: null,
    diskFullPercent: 5,
  })
  const channels = Array.from({ length: 24 }, (_, at) => channel(`broken-${at}`, broken[at % broken.length] ?? ''))
  await node.connect({}, { channels: [...channels, channel('good', node.url)] })

  node.events.add({ type: 'crashed', server: lobby })

  await vi.waitFor(() => expect(node.messages).toContain('crashed'), pollOptions)
})

test('an alert waits for the end of quiet hours', async ({ node }) => {
  const clock = (at: number) => new Date(at).toISOString().slice(11, 16)
  const minute = 60_000
  const [from, to] = [clock(Date.now() - 5 * minute), clock(Date.now() + 10 * minute)]
  await node.connect({ quietHours: { from, to, timezone: 'UTC' } })

  node.events.add({ type: 'crashed', server: lobby })
  // The node has looked at it: it has noticed that the server was stopped since.
  await vi.waitFor(() => expect(node.events.pending).toHaveLength(2), pollOptions)
  await node.close()
  expect(node.received).toEqual([])
  node.passedMs = 10 * minute
  await node.open()

  await vi.waitFor(() => expect(node.messages).toContain('crashed'), pollOptions)
})

test('the own disk is reported at the threshold of the channel, and when it has space again', async ({ node }) => {
  await node.connect({ diskFullPercent: 20 })
  node.disk.used = 85

  await node.receives('diskFull')
  node.disk.used = 70
  await node.receives('diskFull', '-diskFull')

  expect(node.received[0]).toMatchObject({
    node: { id: 1, name: 'far' },
    detail: expect.stringMatching(/^15\.0 % is free/),
  })
})

test('an address that is not public gets no request', async ({ node }) => {
  await node.close()
  await node.open({ allow: [] })
  await node.connect()

  node.events.add({ type: 'crashed', server: lobby })
  await vi.waitFor(() => expect(node.events.pending[0]?.deliveries).toMatchObject([{ state: 'failed' }]), pollOptions)

  expect(node.received).toEqual([])
  expect(node.events.pending[0]?.deliveries[0]?.answer).toMatch(/^127\.0\.0\.1 is not on the public internet/)
})

test('an event in a report is not sent before the report has ended', async ({ node }) => {
  await node.connect()
  await node.close()
  await node.open({ awayMs: 1 })
  node.events.add({ type: 'crashed', server: lobby })

  const reported = node.events.beginReport()
  await node.events.deliver(reported[0]?.id ?? '', () => Promise.reject(new Error('it was sent')))
  await node.events.endReport(reported)

  expect(node.events.pending).toEqual([])
  expect(node.received).toEqual([])
})

test('the channels are in a file of its user, and removed when there are none or the panel rejects the node', async ({
  node,
}) => {
  const path = join(node.dataDir, 'alerts.json')
  const exists = () =>
    stat(path).then(
      () => true,
      () => false,
    )
  await node.connect()
  const saved = JSON.parse(await readFile(path, 'utf8'))
  expect((await stat(path)).mode & 0o777).toBe(0o600)

  await node.alerts.accepted({ ...saved, version: '', channels: [] })
  expect([await exists(), node.alerts.version]).toEqual([false, ''])
  await node.connect()
  expect(node.alerts.version).toBe('1')
  await node.alerts.rejected()
  expect(await exists()).toBe(false)
})
