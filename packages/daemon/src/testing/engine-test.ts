import { test as base } from 'vitest'
import { clear } from './containers.ts'
import { TestNode } from './daemon.ts'
import type { TestEngine } from './engine.ts'

interface Fixtures {
  /** Shared by the tests of a file. Its containers are removed after each test. */
  readonly engine: TestEngine
  /** Starts a node that uses the engine. */
  readonly startNode: typeof TestNode.start
}

/** A test with a container engine that runs for the whole file. */
export const testWithEngine = (create: () => Promise<TestEngine>) =>
  base.extend<Fixtures & { readonly runningEngine: TestEngine }>({
    runningEngine: [
      // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
      async ({}, use) => {
        await using engine = await create()
        await use(engine)
      },
      { scope: 'file' },
    ],
    engine: async ({ runningEngine }, use) => {
      await use(runningEngine)
      await clear(runningEngine)
    },
    startNode: async ({ engine }, use) => {
      await use((options = {}) => TestNode.start({ dockerSocket: engine.socketPath, ...options }))
    },
  })
