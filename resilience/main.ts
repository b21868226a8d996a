import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
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

/**
 * `npm run resilience [-- suites]`: tests that need whole machines, networks and database clusters. An argument is the
 * name of a file in this folder; without arguments every suite runs. Ends with `N passed, N failed`.
 *
 * The suites run in their own network, mount and PID namespaces, so they cannot affect the host, and the kernel removes
 * what is left when they end.
 */
const suitesDir = dirname(fileURLToPath(import.meta.url))
const isolatedFlag = '--isolated'
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
  await runSuites()
} else {
  for (const name of names) await installMissingPackages((await load(name)).packages ?? {})
  process.exitCode = await runIsolated()
}

async function load(name: string): Promise<SuiteModule> {
  return (await import(`./${name}.ts`)) as SuiteModule
}

/** Runs this program again in new namespaces. Resolves with its exit code. */
async function runIsolated(): Promise<number> {
  const tempDir = await mkdtemp(join(tmpdir(), 'innkeeper-resilience-'))
  // Servers and databases run as other users and must be able to enter it.
  await chmod(tempDir, 0o711)
  const namespaces = ['--net', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child']
  // PID 1 must reap orphaned processes: a shell does.
  const init = ['sh', '-c', 'ip link set lo up && "$@"; exit $?', 'resilience']
  const self = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url), isolatedFlag, ...args]
  const child = spawn('unshare', [...namespaces, '--', ...init, ...self], {
    stdio: 'inherit',
    env: { ...process.env, TMPDIR: tempDir },
  })
  let interrupts = 0
  // Ctrl+C reaches the child too, which then cleans up. A second one kills it.
  process.on('SIGINT', () => {
    if (++interrupts > 1) child.kill('SIGKILL')
  })
  process.on('SIGTERM', () => child.kill('SIGKILL'))
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    return code ?? 130
  } finally {
    await rm(tempDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

async function runSuites(): Promise<void> {
  const interruption = new AbortController()
  const { signal } = interruption
  process.on('SIGINT', () => interruption.abort(new Error('interrupted')))
  let [passed, failed] = [0, 0]
  for (const name of names) {
    if (signal.aborted) break
    const { run } = await load(name)
    let suite = new Suite(name, signal)
    await suite.run(run)
    // As the other tests: a cluster of MariaDB sometimes stalls for a minute after many conflicting writes.
    if (process.env.CI && suite.failed > 0 && !signal.aborted) {
      console.log(`${suite.failed} of ${name} failed: second run`)
      suite = new Suite(name, signal)
      await suite.run(run)
    }
    passed += suite.passed
    failed += suite.failed
  }
  console.log(`${passed} passed, ${failed} failed`)
  process.exit(signal.aborted ? 130 : failed > 0 || passed === 0 ? 1 : 0)
}
