import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { killServer } from '@innkeeper/contract/servers/node-servers'
import { test as base } from 'vitest'
import { TestNode } from './daemon.ts'

/** A test with a node of its own. */
export const test = base.extend<{ node: TestNode }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
  node: async ({}, use) => {
    await using node = await TestNode.start()
    await use(node)
  },
})

/** A test with the node of its file, for tests that only change their own server. */
export const testOnSharedNode = base.extend<{ node: TestNode }>({
  node: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
    async ({}, use) => {
      await using node = await TestNode.start()
      await use(node)
    },
    { scope: 'file' },
  ],
})

/** A test with the node of its file, whose servers are deleted after each test. */
export const testOnClearedNode = testOnSharedNode.extend<{ cleared: undefined }>({
  cleared: [
    async ({ node }, use) => {
      await use(undefined)
      for (const file of await readdir(join(node.dataDir, 'servers'))) {
        const [, id] = /^([0-9a-f]{8})\.json$/.exec(file) ?? []
        if (id === undefined) continue
        await node.client.send(killServer, { params: { id }, query: { wait: true } })
        const { status, body } = await node.client.asPanel('DELETE', `/daemon/server/${id}`)
        if (status !== 204) throw new Error(`the server was not deleted: ${status} ${JSON.stringify(body)}`)
      }
    },
    { auto: true },
  ],
})
