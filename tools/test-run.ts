import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { packageScript, root, succeeds } from './commands.ts'

const plainOutput = { NO_COLOR: '1', FORCE_COLOR: '0' }
const memory = '/dev/shm'
const enoughMemoryBytes = 2 * 1024 ** 3

/** The parts of a report of Vitest that are read here. */
interface VitestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

/** The parts of a report of Playwright that are read here. */
interface PlaywrightReport {
  readonly stats: {
    readonly expected: number
    readonly unexpected: number
    readonly flaky: number
    readonly skipped: number
  }
  readonly suites: readonly PlaywrightSuite[]
}

interface PlaywrightSuite {
  readonly specs: readonly { readonly file: string; readonly title: string; readonly ok: boolean }[]
  readonly suites?: readonly PlaywrightSuite[]
}

/**
 * Counts the results of checks, Vitest and Playwright, and prints them as one line `N passed, N failed`, after a line
 * `FAILED: name` for each failure.
 */
export class TestRun implements AsyncDisposable {
  readonly #reportDir: string
  readonly #env: NodeJS.ProcessEnv
  readonly #failures: string[] = []
  #passed = 0
  #failed = 0
  #skipped = 0

  private constructor(reportDir: string, env: NodeJS.ProcessEnv) {
    this.#reportDir = reportDir
    this.#env = env
  }

  /**
   * With `inMemory` the temporary files of tests are in memory, if there is enough: programs that flush their files wait
   * for the disk most of the time.
   */
  static async start({ inMemory = false } = {}): Promise<TestRun> {
    if (!inMemory || !(await hasMemory())) {
      return new TestRun(await mkdtemp(join(tmpdir(), 'innkeeper-test-')), plainOutput)
    }
    // A short name, because the paths of sockets are limited.
    const folder = await mkdtemp(join(memory, 'ik-'))
    // The users of servers must be able to traverse it.
    await chmod(folder, 0o711)
    return new TestRun(folder, { ...plainOutput, TMPDIR: folder })
  }

  /** Runs a command that passes or fails as a whole. Prints its output at the end, so that it does not mix with other tests. */
  async check(name: string, command: readonly string[]): Promise<void> {
    const passed = (await runCaptured(command, plainOutput, 'at the end')).exitCode === 0
    if (passed) this.#passed++
    else this.#countFailures(1, [name])
    if (passed) console.log(`ok: ${name}`)
  }

  /** Runs Vitest with these arguments. */
  async vitest(args: readonly string[]): Promise<void> {
    const report = join(this.#reportDir, 'vitest.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const succeeded = await succeeds([...packageScript('vitest/vitest.mjs'), 'run', ...reporters, ...args], this.#env)
    const results = await readReport<VitestReport>(report)
    this.#passed += results.numPassedTests
    this.#skipped += results.numPendingTests + results.numTodoTests
    if (!succeeded) this.#countFailures(results.numFailedTests, vitestFailures(results))
  }

  /** Runs the browser tests of a project. Prints their output at the end, so that it does not mix with a concurrent run. */
  async playwright(project: 'journeys' | 'slow'): Promise<void> {
    const report = join(this.#reportDir, 'playwright.json')
    const args = ['test', '--config', 'e2e/playwright.config.ts', '--project', project, '--reporter=list,json']
    const env = { ...this.#env, PLAYWRIGHT_JSON_OUTPUT_NAME: report }
    const { exitCode } = await runCaptured([...packageScript('@playwright/test/cli.js'), ...args], env, 'at the end')
    const { stats, suites } = await readReport<PlaywrightReport>(report)
    this.#passed += stats.expected + stats.flaky
    this.#skipped += stats.skipped
    if (exitCode !== 0) this.#countFailures(stats.unexpected, suites.flatMap(playwrightFailures))
  }

  /** Runs a program that ends with its own line `N passed, N failed`. */
  async program(command: readonly string[]): Promise<void> {
    const { exitCode, output } = await runCaptured(command, plainOutput, 'while it runs')
    const [, passed = '0', failed = '0'] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? []
    this.#passed += Number(passed)
    if (exitCode !== 0) this.#countFailures(Number(failed), programFailures(output))
  }

  /** Counts an error that kept tests from running. */
  fail(error: unknown): void {
    this.#countFailures(1, [error instanceof Error ? error.message : String(error)])
  }

  /** Prints the failures and the totals, and sets the exit code. */
  finish(): void {
    for (const failure of this.#failures) console.log(`FAILED: ${failure}`)
    const skipped = this.#skipped > 0 ? `, ${this.#skipped} skipped` : ''
    console.log(`${this.#passed} passed, ${this.#failed} failed${skipped}`)
    process.exitCode = this.#failed > 0 || this.#passed === 0 ? 1 : 0
  }

  /** A file that does not load, or an unhandled error, fails a run without failing a test. */
  #countFailures(count: number, names: readonly string[]): void {
    this.#failed += Math.max(1, count)
    this.#failures.push(...(names.length > 0 ? names : ['an error outside of the tests, see above']))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#reportDir, { recursive: true, force: true })
  }
}

async function hasMemory(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(memory)
    return bavail * bsize >= enoughMemoryBytes
  } catch {
    // Only Linux has it.
    return false
  }
}

async function readReport<T>(file: string): Promise<T> {
  return JSON.parse(await readFile(file, 'utf8')) as T
}

function vitestFailures({ testResults }: VitestReport): string[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const file = relative(root, name)
      const failed = assertionResults.filter(({ status }) => status === 'failed')
      return failed.length > 0 ? failed.map(({ fullName }) => `${file}: ${fullName}`) : [file]
    })
}

function playwrightFailures({ specs, suites = [] }: PlaywrightSuite): string[] {
  const failed = specs.filter(({ ok }) => !ok).map(({ file, title }) => `e2e/${file}: ${title}`)
  return [...failed, ...suites.flatMap(playwrightFailures)]
}

/** The lines `FAILED  name: error` of a program. */
function programFailures(output: string): string[] {
  const lines = output.split('\n').map((line) => line.trim())
  return lines.filter((line) => line.startsWith('FAILED')).map((line) => line.slice('FAILED'.length).trim())
}

/** Runs a command, and captures and prints its stdout and stderr. */
function runCaptured(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  print: 'while it runs' | 'at the end',
): Promise<{ exitCode: number | null; output: string }> {
  const [file, ...args] = command as [string, ...string[]]
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => {
        output += text
        if (print === 'while it runs') process.stdout.write(text)
      })
    }
    child.on('error', reject)
    child.on('close', (exitCode) => {
      if (print === 'at the end') process.stdout.write(output)
      resolve({ exitCode, output })
    })
  })
}
