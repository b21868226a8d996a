import { dirname } from 'node:path'
import { badLines } from './nodes/bad-lines.ts'
import { type Cast, NodeMachine, openHouse } from './nodes/cast.ts'
import { clocks } from './nodes/clocks.ts'
import { cutOff } from './nodes/cut-off.ts'
import { dailyWork } from './nodes/daily-work.ts'
import { panelsLost } from './nodes/panels-lost.ts'
import { restarts } from './nodes/restarts.ts'
import type { Drill } from './stage/drill.ts'
import { Network } from './stage/network.ts'

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

/** Two panels behind nginx on one PostgreSQL, and two nodes, each on a machine of its own as far as the network tells. */
export async function run(drill: Drill): Promise<void> {
  const network = await Network.open(drill)
  const { operator, panels, ca } = await openHouse(drill, network)
  const machines = [await network.machine('far', 21), await network.machine('near', 22)] as const
  const nodes: NodeMachine[] = []
  await drill.showFirst(
    'an operator logs in, describes two nodes, types the command of each page, and they join',
    async () => {
      await operator.logIn()
      for (const machine of machines) {
        const node = await NodeMachine.describe(operator, machine, ca)
        drill.atEnd(() => node.end('SIGKILL'))
        await node.configure(operator)
        await node.start()
        nodes.push(node)
      }
      for (const node of nodes) await node.untilSeen(operator, 'online')
    },
  )
  const [far, near] = nodes
  if (!far || !near) return
  const cast: Cast = { operator, panels, far, near, gate: dirname(ca) }

  for (const act of [dailyWork, cutOff, badLines, clocks, restarts, panelsLost]) await act(drill, cast)
}
