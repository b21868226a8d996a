import { globSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getConsole, getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import { type Suite, waitUntil } from '../harness/suite.ts'
import { expectRefusal } from './api-client.ts'
import { createServerOn } from './basic-operations.ts'
import type { Fixture } from './fixture.ts'

/** The clock of a node is wrong, and then corrected. */
export async function clockSkew(suite: Suite, { client, secondNode }: Fixture): Promise<void> {
  const params = await createServerOn(client, secondNode, 'clock', 'cat')
  await client.send(startServer, { params, query: { wait: 'true' } })
  const [library = ''] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
  const file = join(tmpdir(), 'faketime')
  const setOffset = (seconds: number) => writeFile(file, `${seconds < 0 ? '' : '+'}${seconds}s\n`)
  await setOffset(0)
  await secondNode.stop('SIGTERM')
  await secondNode.start({
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  })
  await secondNode.waitForState(client, 'online')

  for (const [offset, seconds] of [
    ['ten minutes ahead', 600],
    ['ten minutes behind', -600],
  ] as const) {
    await suite.check(
      `a clock ${offset} is reported by the node and on its page, and calls to the node fail`,
      async () => {
        await setOffset(seconds)
        const health = async () => (await secondNode.fetch(client)).health
        await waitUntil(
          'the page of the node reports a clock skew',
          async () => (await health())?.problems.includes('clockSkew') ?? false,
          {
            timeoutMs: 60_000,
          },
        )
        const skew = (await health())?.clockSkewMs ?? 0
        if (Math.abs(skew - seconds * 1000) > 5_000) throw new Error(`the page reports a skew of ${skew} ms`)
        const warning = /the clock of this host is (-?\d+) s ahead/g
        const last = [...secondNode.output.matchAll(warning)].at(-1)?.[1]
        if (Math.abs(Number(last) - seconds) > 5) throw new Error(`the node reports ${last} s`)
        // The status may still come over the connection from before.
        const { code } = await expectRefusal(client.send(getConsole, { params, query: {} }))
        return `${Math.round(skew / 1000)} s, calls fail with ${code}`
      },
    )

    await suite.check(
      `after a clock ${offset} is corrected, the node is online again and its server still runs`,
      async () => {
        await setOffset(0)
        await secondNode.waitForState(client, 'online')
        if (!(await client.send(getStatus, { params })).running) throw new Error('the server does not run')
      },
    )
  }
  await secondNode.stop('SIGTERM')
  await secondNode.start()
  await secondNode.waitForState(client, 'online')
}
