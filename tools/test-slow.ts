import { join } from 'node:path'
import { root } from './commands.ts'
import { installMissingPackages, slowTestPackages } from './debian-packages.ts'
import { TestRun } from './test-run.ts'

/**
 * `npm run test:slow`: tests that take minutes. Ends with one line `N passed, N failed`.
 * `npm run test:slow -- <words>` runs only the tests whose path contains one of the words, without networks and clusters.
 */
const words = process.argv.slice(2)

await using run = await TestRun.start()
try {
  if (words.length > 0) {
    await run.vitest(['--project', 'slow*', ...words])
  } else {
    await installMissingPackages(slowTestPackages)
    await Promise.all([run.vitest(['--project', 'slow*']), browsersAndNetworks()])
    // It starts a Docker Engine, as tests of the daemon do.
    await run.program([process.execPath, join(root, 'packaging', 'test.ts')])
  }
} catch (error) {
  run.fail(error)
}
run.finish()

/** They wait most of the time, so they run beside the unit tests. */
async function browsersAndNetworks(): Promise<void> {
  await run.playwright('slow')
  // The moves are tests that run here already: their suite repeats them.
  const suites = ['databases', 'nat', 'nodes']
  await run.program([process.execPath, join(root, 'resilience', 'main.ts'), ...suites])
}
