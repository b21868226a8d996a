import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AlertDelivery,
  createAlertChannel,
  deleteAlertChannel,
  listAlertDeliveries,
} from '@innkeeper/contract/alerts/alerts'
import { createNode, getNode, getNodeDeployment } from '@innkeeper/contract/nodes/nodes'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { postSettings } from '@innkeeper/contract/settings/settings'
import { HttpReceiver } from '@innkeeper/panel/testing/http-receiver'
import { test as base, expect, vi } from 'vitest'
import { freePort } from './testing/free-port.ts'
import { InnkeeperProcess } from './testing/innkeeper-process.ts'
import { TestInstallation } from './testing/test-installation.ts'

/** Long enough for a busy machine. */
const pollOptions = { timeout: 30_000, interval: 100 }

/** A node in a process of its own. */
class SeparateNode implements AsyncDisposable {
  readonly id: number
  readonly folder: string
  readonly #env: Record<string, string>
  #program: InnkeeperProcess | undefined

  private constructor(id: number, folder: string, env: Record<string, string>) {
    this.id = id
    this.folder = folder
    this.#env = env
  }

  /** Joins the panel. */
  static async join(installation: TestInstallation, settings: Record<string, unknown>): Promise<SeparateNode> {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-node-'))
    // Servers run as users of their own and must reach their folders.
    await chmod(folder, 0o711)
    const [nodePort, sftpPort] = [await freePort(), await freePort()]
    const host = { publicHost: '127.0.0.1', publicPort: nodePort, privatePort: nodePort, sftpPort }
    const { id } = await installation.send(createNode, { body: { name: 'far', ...host } })
    const { config } = await installation.send(getNodeDeployment, { params: { id } })
    const path = join(folder, 'config.json')
    const own = { dataDir: join(folder, 'data'), nodeHost: '127.0.0.1', nodePort, sftpHost: '127.0.0.1', sftpPort }
    await writeFile(path, JSON.stringify({ ...JSON.parse(config), ...own, panelUrl: installation.url, ...settings }))
    const node = new SeparateNode(id, folder, { INNKEEPER_CONFIG: path })
    await node.start()
    await vi.waitFor(async () => {
      const { health } = await installation.send(getNode, { params: { id } })
      expect(health?.seenAt).toBeDefined()
    }, pollOptions)
    return node
  }

  get output(): string {
    return this.#program?.output ?? ''
  }

  /** The file of the channels that the panel has sent. */
  get channelsFile(): string {
    return join(this.folder, 'data/alerts.json')
  }

  async start(): Promise<void> {
    this.#program = await InnkeeperProcess.start(this.#env)
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#program?.stop(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program?.stop('SIGINT')
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

interface Fixture {
  readonly installation: TestInstallation
  readonly receiver: HttpReceiver
  /** `after`: seconds without the panel, until the node sends alerts. */
  readonly join: (after: number) => Promise<{ node: SeparateNode; server: string }>
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    const receiver = await HttpReceiver.start()
    await using installation = await TestInstallation.start(undefined, { alertAllow: [receiver.address] })
    await installation.send(postSettings, { body: { 'panel.settings.masterUrl': installation.url } })
    const parts = new AsyncDisposableStack()
    const join = async (nodeAlertsAfter: number) => {
      const settings = { nodeAlertsAfter, alertAllow: [receiver.address] }
      const node = parts.use(await SeparateNode.join(installation, settings))
      // Starts when a file says so, which the test writes while the panel is away.
      const run = {
        command: 'sh -c "until [ -e crash ]; do sleep 0.1; done; exit 3"',
        stop: 'stop',
        autorecover: false,
      }
      const definition = { name: 'lobby', node: node.id, type: 'test', run, data: {} }
      const { id } = await installation.send(createServer, { body: definition } as never)
      await installation.send(startServer, { params: { id }, query: {} })
      return { node, server: id }
    }
    await use({ installation, receiver, join })
    await parts.disposeAsync()
    await receiver.stop()
  },
})

async function addChannels({ installation, receiver }: Fixture): Promise<readonly string[]> {
  const targets = [
    { type: 'webhook', target: `${receiver.url}/hook` },
    { type: 'ntfy', target: `${receiver.url}/topic` },
  ] as const
  const alerts = ['crashed' as const]
  const added = targets.map(({ type, target }) =>
    installation.send(createAlertChannel, { body: { name: type, type, target, alerts } }),
  )
  return (await Promise.all(added)).map(({ id }) => id)
}

/** Waits until the node has the channels and knows the server. */
async function waitForChannels({ channelsFile }: SeparateNode, server: string): Promise<void> {
  await vi.waitFor(async () => {
    const { channels, servers } = JSON.parse(await readFile(channelsFile, 'utf8'))
    expect(channels).toHaveLength(2)
    expect(servers).toMatchObject([{ id: server }])
  }, pollOptions)
}

const crash = ({ folder }: SeparateNode, server: string) => writeFile(join(folder, 'data/servers', server, 'crash'), '')

const readDeliveries = async (installation: TestInstallation): Promise<AlertDelivery[]> => {
  await installation.logIn()
  return (await installation.send(listAlertDeliveries, { query: {} })).deliveries
}

test('a node sends alerts while the panel is away, and the panel does not repeat them', {
  timeout: 120_000,
}, async ({ fixture }) => {
  const { installation, receiver } = fixture
  const { node, server } = await fixture.join(1)
  const [hook] = await addChannels(fixture)
  await waitForChannels(node, server)
  expect((await stat(node.channelsFile)).mode & 0o777).toBe(0o600)

  await installation.stop('SIGKILL')
  await crash(node, server)
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), pollOptions)
  // Neither a node that restarts nor the panel sends them again.
  await node.stop('SIGTERM')
  expect(node.output).not.toMatch(/whsec_|\/topic/)
  await node.start()
  await vi.waitFor(() => expect(node.output).toContain('this node sends its alerts itself'), pollOptions)
  await installation.restart()

  const deliveries = await vi.waitFor(async () => {
    const found = await readDeliveries(installation)
    expect(found).toHaveLength(2)
    return found
  }, pollOptions)
  expect(deliveries.map(({ type, state, isByNode }) => [type, state, isByNode])).toEqual([
    ['crashed', 'sent', true],
    ['crashed', 'sent', true],
  ])
  expect(receiver.received).toHaveLength(2)
  const sent = receiver.received.find(({ path }) => path === '/hook')
  expect(JSON.parse(sent?.body ?? '')).toMatchObject({
    id: deliveries.find(({ channelId }) => channelId === hook)?.id,
    type: 'crashed',
    status: 'firing',
    title: 'Server crashed: lobby',
    detail: 'Server exited with code 3',
    server: { id: server, name: 'lobby' },
    url: `${installation.url}/server/${server}`,
  })
  expect(sent?.headers['webhook-signature']).toMatch(/^v1,/)

  await Promise.all(deliveries.map(({ channelId: id }) => installation.send(deleteAlertChannel, { params: { id } })))
  await vi.waitFor(() => expect(stat(node.channelsFile)).rejects.toThrow('ENOENT'), pollOptions)
})

test('a panel that is back in time sends the alerts itself, also those of a node that was killed', {
  timeout: 120_000,
}, async ({ fixture }) => {
  const { installation, receiver } = fixture
  const { node, server } = await fixture.join(600)
  await addChannels(fixture)
  await waitForChannels(node, server)

  await installation.stop('SIGTERM')
  await crash(node, server)
  const events = join(node.folder, 'data/events.json')
  await vi.waitFor(async () => expect(JSON.parse(await readFile(events, 'utf8'))).toHaveLength(1), pollOptions)
  await node.stop('SIGKILL')
  await node.start()
  expect(receiver.received).toEqual([])
  await installation.restart()

  await vi.waitFor(async () => {
    const states = (await readDeliveries(installation)).map(({ state, isByNode }) => [state, isByNode])
    expect(states).toEqual([
      ['sent', false],
      ['sent', false],
    ])
  }, pollOptions)
  expect(receiver.received).toHaveLength(2)
})
