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
