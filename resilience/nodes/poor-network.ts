import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import type { Suite } from '../harness/suite.ts'
import { countingCommand, createServerOn, expectConsecutiveLines } from './basic-operations.ts'
import { ConsoleClient } from './console-client.ts'
import type { Fixture } from './fixture.ts'
import { sha256, upload } from './upload.ts'

/** A node behind a network with high latency or packet loss. */
export async function poorNetwork(suite: Suite, { client, firstNode }: Fixture): Promise<void> {
  const params = await createServerOn(client, firstNode, 'poor-network', countingCommand(50))
  await client.send(startServer, { params, query: { wait: 'true' } })
  suite.log('A user-space forwarder delays and drops frames in both directions.')
  for (const [network, delayMs, lossRate] of [
    ['a round-trip time of 300 ms', 150, 0],
    ['10 % packet loss', 5, 0.1],
  ] as const) {
    firstNode.machine.setImpairment(delayMs, lossRate)
    try {
      await suite.check(`with ${network}, console and upload lose nothing and the node stays online`, async () => {
        const consoleClient = new ConsoleClient(client, params.id)
        const bytes = randomBytes(4_000_000)
        const startedAt = performance.now()
        const { retries } = await upload(client, params.id, `${delayMs}.dat`, bytes)
        const durationMs = performance.now() - startedAt
        await expectConsecutiveLines(consoleClient, 200, 60_000)
        consoleClient.close()
        const arrived = await readFile(join(firstNode.dataDir, 'servers', params.id, `${delayMs}.dat`))
        if (sha256(arrived) !== sha256(bytes)) throw new Error('the file differs from what was sent')
        await client.send(getStatus, { params })
        await firstNode.waitForState(client, 'online', 30_000)
        return `4 MB in ${Math.round(durationMs / 100) / 10} s, ${retries} chunks sent again`
      })
    } finally {
      firstNode.machine.setImpairment(0, 0)
    }
  }
}
