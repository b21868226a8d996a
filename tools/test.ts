import { sourceChecks } from './commands.ts'
import { installMissingPackages } from './debian-packages.ts'
import { TestRun } from './test-run.ts'

/**
 * `npm test`: source checks, unit and component tests, and the browser tests beside them. Ends with one line
 * `N passed, N failed`. `npm test -- <words>` runs only the unit tests whose path contains one of the words.
 */
const words = process.argv.slice(2)

await using run = await TestRun.start({ inMemory: true })
try {
  if (words.length > 0) {
    await run.vitest(['--project', '!slow*', ...words])
  } else {
    await installMissingPackages()
    await Promise.all([run.vitest(['--project', '!slow*']), checksAndJourneys()])
  }
} catch (error) {
  run.fail(error)
}
run.finish()

/** They run one after another beside the unit tests, so that no core waits for the last of them. */
async function checksAndJourneys(): Promise<void> {
  for (const { name, command } of sourceChecks) await run.check(name, command)
  await run.playwright('journeys')
}
