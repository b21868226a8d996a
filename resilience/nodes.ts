import { Network } from './harness/network.ts'
import type { Suite } from './harness/suite.ts'
import { basicOperations } from './nodes/basic-operations.ts'
import { clockSkew } from './nodes/clock-skew.ts'
import { type Fixture, NodeMachine, startPanels } from './nodes/fixture.ts'
import { networkPartition } from './nodes/network-partition.ts'
import { nodeRestarts } from './nodes/node-restarts.ts'
import { panelFailures } from './nodes/panel-failures.ts'
import { poorNetwork } from './nodes/poor-network.ts'

export const packages = {
  ethtool: '/usr/sbin/ethtool',
  faketime: '/usr/lib/*/faketime/libfaketime.so.1',
  iproute2: '/usr/sbin/ip',
  'nginx-light': '/usr/sbin/nginx',
  openssl: '/usr/bin/openssl',
  'openssh-client': '/usr/bin/sftp',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
  python3: '/usr/bin/python3',
}

/** Two panels behind nginx on one PostgreSQL database, and two nodes, each on a simulated machine. */
export async function run(suite: Suite): Promise<void> {
  const network = await Network.create(suite)
  const { client, panels, certDir } = await startPanels(suite, network)
  const machines = [await network.addMachine('node-1', 21), await network.addMachine('node-2', 22)] as const
  const nodes: NodeMachine[] = []
  await suite.checkRequired(
    'two nodes join after an operator runs the command that the page of each shows',
    async () => {
      await client.logIn()
      for (const machine of machines) {
        const node = await NodeMachine.register(client, machine, certDir)
        suite.onCleanup(() => node.stop('SIGKILL'))
        await node.configure(client)
        await node.start()
        nodes.push(node)
      }
      for (const node of nodes) await node.waitForState(client, 'online')
    },
  )
  const [firstNode, secondNode] = nodes
  if (!firstNode || !secondNode) return
  const fixture: Fixture = { client, panels, firstNode, secondNode, certDir }

  for (const runChecks of [basicOperations, networkPartition, poorNetwork, clockSkew, nodeRestarts, panelFailures])
    await runChecks(suite, fixture)
}
