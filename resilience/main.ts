import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installMissingPackages } from '../tools/debian-packages.ts'
import { Suite } from './harness/suite.ts'

/** What a file directly in this folder exports. */
interface SuiteModule {
  /** The Debian packages it needs, each with a file that exists once the package is installed. */
  readonly packages?: Readonly<Record<string, string>>
  run(suite: Suite): Promise<void>
}

/** The counted checks of a run of a suite. */
interface Result {
  readonly passed: number
  readonly failed: number
}

/**
 * `npm run resilience [-- suites]`: tests that need whole machines, networks and database clusters. An argument is the
 * name of a file in this folder; without arguments every suite runs. Ends with `N passed, N failed`.
 *
 * Each run of a suite has its own network, mount and PID namespaces, so it cannot affect the host or a second run, and
 * the kernel removes what is left when it ends.
 */
const suitesDir = dirname(fileURLToPath(import.meta.url))
const isolatedFlag = '--isolated'
const resultFile = 'result.json'
const args = process.argv.slice(2).filter((arg) => arg !== isolatedFlag)
const available = globSync('*.ts', { cwd: suitesDir, exclude: ['main.ts'] })
  .map((file) => basename(file, '.ts'))
  .sort()
const unknown = args.filter((arg) => !available.includes(arg))
const names = args.length > 0 ? args : available

if (unknown.length > 0) {
  console.error(`Unknown suite: ${unknown.join(', ')}. Available suites: ${available.join(', ')}.`)
  process.exitCode = 2
} else if (process.getuid?.() !== 0) {
  console.error('The resilience tests create network namespaces and processes of other users. Run them as root.')
  process.exitCode = 2
} else if (process.argv.includes(isolatedFlag)) {
  for (const name of names) await runSuite(name)
} else {
  process.exitCode = await runSuites()
}

async function load(name: string): Promise<SuiteModule> {
  return (await import(`./${name}.ts`)) as SuiteModule
}

/** Runs the suites one after another. Resolves with the exit code. */
async function runSuites(): Promise<number> {
  for (const name of names) await installMissingPackages((await load(name)).packages ?? {})
  const results: Result[] = []
  for (const name of names) {
    let result = await runIsolated(name)
    // As the other tests: a cluster of MariaDB sometimes stalls for a minute after many conflicting writes.
    if (process.env.CI && result && result.failed > 0) {
      console.log(`${result.failed} of ${name} failed: second run`)
      result = await runIsolated(name)
    }
    if (!result) return 130
    results.push(result)
  }
  const count = (which: keyof Result) => results.reduce((sum, result) => sum + result[which], 0)
  console.log(`${count('passed')} passed, ${count('failed')} failed`)
  return count('failed') > 0 || count('passed') === 0 ? 1 : 0
}

/** Runs this program for one suite in new namespaces. Resolves with nothing when the user has interrupted it. */
async function runIsolated(name: string): Promise<Result | undefined> {
  const tempDir = await mkdtemp(join(tmpdir(), 'innkeeper-resilience-'))
  // Servers and databases run as other users and must be able to enter it.
  await chmod(tempDir, 0o711)
  const namespaces = ['--net', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child']
  // PID 1 must reap orphaned processes: a shell does.
  const init = ['sh', '-c', 'ip link set lo up && "$@"; exit $?', 'resilience']
  const self = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url), isolatedFlag, name]
  const child = spawn('unshare', [...namespaces, '--', ...init, ...self], {
    stdio: 'inherit',
    env: { ...process.env, TMPDIR: tempDir },
  })
  let interrupts = 0
  // Ctrl+C reaches the child too, which then cleans up. A second one kills it.
  const interrupt = () => {
    if (++interrupts > 1) child.kill('SIGKILL')
  }
  const terminate = () => {
    interrupts++
    child.kill('SIGKILL')
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', terminate)
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    if (interrupts > 0) return undefined
    if (code !== 0) return { passed: 0, failed: 1 }
    return JSON.parse(await readFile(join(tempDir, resultFile), 'utf8')) as Result
  } finally {
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', terminate)
    await rm(tempDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

/** Runs a suite in this process, and writes its result for {@link runIsolated}. */
async function runSuite(name: string): Promise<void> {
  const interruption = new AbortController()
  process.on('SIGINT', () => interruption.abort(new Error('interrupted')))
  const suite = new Suite(name, interruption.signal)
  await suite.run((await load(name)).run)
  const { passed, failed } = suite
  await writeFile(join(tmpdir(), resultFile), JSON.stringify({ passed, failed } satisfies Result))
  process.exit()
}
