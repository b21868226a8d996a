import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ofPackage, sourceChecks, succeeds } from './commands.ts'
import { installMissingPackages } from './packages.ts'

/**
 * Everything that shows the product works: source checks, unit and component tests, the browser tests.
 * Ends with one plain line `N passed, N failed`. `npm test -- <words>` passes words on to the unit tests and runs only those.
 */
const only = process.argv.slice(2)
const totals = { passed: 0, failed: 0, skipped: 0 }
const reports = await mkdtemp(join(tmpdir(), 'innkeeper-test-'))
const env = { NO_COLOR: '1', FORCE_COLOR: '0' }

try {
  if (only.length === 0) {
    await installMissingPackages()
    for (const { name, command } of sourceChecks) count(name, await succeeds(command, env))
  }
  await unitTests()
  if (only.length === 0) await browserTests()
} catch (error) {
  totals.failed++
  console.error(error instanceof Error ? error.message : error)
} finally {
  await rm(reports, { recursive: true, force: true })
}

const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`)
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0

function count(name: string, went: boolean): void {
  if (went) totals.passed++
  else totals.failed++
  console.log(`${went ? 'ok' : 'FAILED'}: ${name}`)
}

async function unitTests(): Promise<void> {
  const file = join(reports, 'unit.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const went = await succeeds([...ofPackage('vitest/vitest.mjs'), 'run', ...reporters, ...only], env)
  const report = JSON.parse(await readFile(file, 'utf8')) as {
    numPassedTests: number
    numFailedTests: number
    numPendingTests: number
    numTodoTests: number
  }
  totals.passed += report.numPassedTests
  totals.skipped += report.numPendingTests + report.numTodoTests
  // A suite that cannot be loaded, or an unhandled error, fails the run without failing a test.
  totals.failed += went ? 0 : Math.max(1, report.numFailedTests)
}

async function browserTests(): Promise<void> {
  const file = join(reports, 'browser.json')
  const went = await succeeds(
    [...ofPackage('@playwright/test/cli.js'), 'test', '--config', 'e2e/playwright.config.ts', '--reporter=list,json'],
    { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: file },
  )
  const { stats } = JSON.parse(await readFile(file, 'utf8')) as {
    stats: { expected: number; unexpected: number; flaky: number; skipped: number }
  }
  totals.passed += stats.expected
  totals.skipped += stats.skipped
  totals.failed += went ? 0 : Math.max(1, stats.unexpected + stats.flaky)
}
