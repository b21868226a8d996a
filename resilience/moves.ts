import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../tools/commands.ts'
import type { Suite } from './harness/suite.ts'

const execute = promisify(execFile)
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const tests = join('packages', 'cli', 'src', 'moves.slow.test.ts')
const interrupted = 'a move goes on when|a server goes back when'

/** Interrupted moves of each run: five kinds of failures in each of four steps, and two failures on the way back. */
const movesPerRun = 22
/** All of them together: at least this many. */
const rounds = 50
const runTimeoutMs = 20 * 60 * 1000

/**
 * The tests of interrupted moves, again and again: the panel, the former and the new node are killed and the network fails
 * in each step. They compare the hashes of all files, and count the servers.
 */
export async function run(suite: Suite): Promise<void> {
  const runs = Math.ceil(rounds / movesPerRun)
  for (let at = 1; at <= runs; at++) {
    const title = `run ${at} of ${runs}: ${movesPerRun} interrupted moves lose and double no server and no byte`
    await suite.check(title, async () => {
      const reportFile = join(tmpdir(), `moves-${at}.json`)
      const report = ['--reporter', 'default', '--reporter', 'json', '--outputFile', reportFile]
      const args = [vitest, 'run', '--project', 'slow', tests, '--testNamePattern', interrupted, ...report]
      const options = { cwd: root, signal: suite.signal, timeout: runTimeoutMs, maxBuffer: 64 * 1024 * 1024 }
      await execute(process.execPath, args, options).catch((error: { stdout?: string }) => {
        // The output says which test has failed, and why.
        throw new Error(String(error.stdout ?? '').slice(-4_000) || String(error))
      })
      const { numPassedTests } = JSON.parse(await readFile(reportFile, 'utf8')) as { numPassedTests: number }
      suite.log(`${numPassedTests} tests passed`)
      if (numPassedTests === 0) throw new Error('no test has run')
    })
  }
}
