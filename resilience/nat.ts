import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getSftpUser } from '@innkeeper/contract/node-link/sftp'
import { getStatus, sendCommand, startServer } from '@innkeeper/contract/servers/node-servers'
import { type Machine, Network } from './harness/network.ts'
import { type Suite, waitUntil } from './harness/suite.ts'
import { type ApiClient, admin, withRetries } from './nodes/api-client.ts'
import { createServerOn, sftp } from './nodes/basic-operations.ts'
import { ConsoleClient } from './nodes/console-client.ts'
import { caddyAddress, NodeMachine, type PanelMachine, startCaddy, startPanels } from './nodes/fixture.ts'
import { packages as packagesOfNodes } from './nodes.ts'

export const packages = { ...packagesOfNodes, caddy: '/usr/bin/caddy', nftables: '/usr/sbin/nft' }

interface Nat {
  readonly client: ApiClient
  readonly panels: readonly [PanelMachine, PanelMachine]
  readonly certDir: string
  readonly router: Machine
}

/** Two panels behind nginx and Caddy, and two nodes behind a router that translates addresses. */
export async function run(suite: Suite): Promise<void> {
  const network = await Network.create(suite)
  const started = await startPanels(suite, network)
  await startCaddy(suite, await network.addMachine('caddy', 13), started)
  const router = await network.addRouter('router', 30)
  const nat = { ...started, router }
  await started.client.logIn()
  await throughProxy(suite, nat, await network.addMachineBehindRouter('nat-1', 21), 'nginx')
  await throughProxy(suite, nat, await network.addMachineBehindRouter('nat-2', 22), 'Caddy')
}

async function throughProxy(
  suite: Suite,
  { client, panels, certDir, router }: Nat,
  machine: Machine,
  proxy: 'nginx' | 'Caddy',
): Promise<void> {
  const node = await NodeMachine.register(client, machine, certDir, { isBehindNat: true })
  suite.onCleanup(() => node.stop('SIGKILL'))
  const onEachPanel = async (params: { id: string }) => {
    for (const panel of panels) {
      await waitUntil(
        `${panel.machine.name} reaches ${node.name}`,
        async () => (await client.withUrl(panel.url).send(getStatus, { params })).state === 'online',
        { timeoutMs: 60_000 },
      )
    }
  }

  await suite.checkRequired(`a node behind NAT joins through ${proxy} and is online`, async () => {
    await node.configure(client)
    await node.start(proxy === 'Caddy' ? { INNKEEPER_PANEL_URL: `https://${caddyAddress}` } : {})
    await node.waitForState(client, 'online')
    const isTunnelled = async () => (await node.fetch(client)).health?.isTunnelled === true
    await waitUntil('the panel shows that it is tunnelled', isTunnelled)
  })
  // The other panel gets its tunnel a moment later.
  const params = await withRetries(() => createServerOn(client, node, `echo-${node.name}`, 'cat'))
  await suite.checkRequired('each panel reaches the node by a tunnel', async () => {
    await withRetries(() => client.send(startServer, { params, query: { wait: 'true' } }))
    await onEachPanel(params)
  })
  await suite.check('its console works in both directions', async () => {
    const consoleClient = new ConsoleClient(client, params.id)
    await client.send(sendCommand, { params, body: 'sent by API' })
    await waitUntil('the console shows the command', () => consoleClient.text.includes('sent by API'))
    consoleClient.close()
  })
  await suite.check('files are uploaded and downloaded, also over the SFTP port of each panel', async () => {
    const content = randomBytes(20_000_000)
    const path = `/proxy/daemon/server/${params.id}/file/world.dat`
    const { status } = await client.fetch(path, { method: 'PUT', body: content })
    if (status !== 204) throw new Error(`PUT: ${status}`)
    if (!Buffer.from(await (await client.fetch(path)).arrayBuffer()).equals(content))
      throw new Error('the download differs from what was sent')
    const local = join(tmpdir(), `nat-${node.name}`)
    await writeFile(`${local}-sent`, content)
    for (const panel of panels) {
      const commands = `put ${local}-sent again.dat\nget again.dat ${local}-received\n`
      await sftp(panel.machine.address, getSftpUser(admin.email, params.id), commands)
      if (!(await readFile(`${local}-received`)).equals(content)) throw new Error('the file over SFTP differs')
    }
  })
  await suite.check('after a panel was killed and started again, both reach the node', async () => {
    await panels[0].stop('SIGKILL')
    await client.withUrl(panels[1].url).send(getStatus, { params })
    await panels[0].start()
    await onEachPanel(params)
  })
  await suite.check('after the router was without a connection for 40 seconds, both reach the node', async () => {
    await router.setLinkState('down')
    await new Promise((resolve) => setTimeout(resolve, 40_000))
    await router.setLinkState('up')
    await onEachPanel(params)
  })
}
