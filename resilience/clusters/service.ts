import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Suite } from '../harness/suite.ts'

/** A generous timeout for setup steps, which are not what the suite measures. */
export const setupTimeout = { timeoutMs: 180_000 } as const

/** Database servers refuse to run as root. */
export const nobodyUid = 65_534

/** A program to start. */
export interface ProgramOptions {
  /** The absolute path of the executable, then its arguments. */
  readonly command: readonly string[]
  /** The working directory, in which the output is written to `log`. */
  readonly folder: string
  readonly asRoot?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** The signal that stops it at the end of the suite; SIGKILL by default. */
  readonly stopSignal?: 'SIGINT'
}

/** A background program. The kernel kills it when the test process ends. */
export class Service {
  readonly #program: ProgramOptions
  #child: ChildProcess | undefined

  constructor(suite: Suite, program: ProgramOptions) {
    this.#program = program
    suite.onCleanup(() => this.stop(program.stopSignal ?? 'SIGKILL'))
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  async start(): Promise<void> {
    this.#child = (await spawnProgram(this.#program)).child
  }

  /** Sends the signal and waits for the exit; sends SIGKILL after 20 s. */
  async stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (!child || !this.isRunning) return
    const exited = once(child, 'exit')
    child.kill(signal)
    const killTimer = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await exited
    clearTimeout(killTimer)
  }

  /** Kills it and its child processes at once, as a power failure does. */
  async crash(): Promise<void> {
    const { pid } = this.#child ?? {}
    const children = pid === undefined ? [] : getChildren(pid)
    const stopped = this.stop('SIGKILL')
    for (const child of children) kill(child)
    await stopped
  }

  /** Its output so far. */
  log(): Promise<string> {
    return readFile(join(this.#program.folder, 'log'), 'utf8')
  }
}

/** Runs a program and waits for its exit. @throws Error with its output when the exit code is not 0. */
export async function runToCompletion(program: ProgramOptions): Promise<void> {
  const { exitCode } = await spawnProgram(program)
  if ((await exitCode) === 0) return
  const output = await readFile(join(program.folder, 'log'), 'utf8')
  throw new Error(`${program.command.join(' ')} failed:\n${output.slice(-2_000)}`)
}

interface Spawned {
  readonly child: ChildProcess
  /** Listens from the start, so that the exit of a short program is not missed. */
  readonly exitCode: Promise<number | null>
}

async function spawnProgram({ command, folder, asRoot = false, env }: ProgramOptions): Promise<Spawned> {
  const log = await open(join(folder, 'log'), 'a')
  const user = asRoot ? [] : ['--reuid', String(nobodyUid), '--regid', String(nobodyUid), '--clear-groups']
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...user, '--', ...command], {
    cwd: folder,
    stdio: ['ignore', log.fd, log.fd],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env },
  })
  const exitCode = once(child, 'exit').then(([code]) => code as number | null)
  await once(child, 'spawn')
  await log.close()
  return { child, exitCode }
}

function getChildren(pid: number): number[] {
  return globSync(`/proc/${pid}/task/*/children`).flatMap((path) =>
    readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  )
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has exited already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
