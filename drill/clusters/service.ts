import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Drill } from '../stage/drill.ts'

/** Setting up is not what is shown: a machine may have other things to do. */
export const patiently = { withinMs: 180_000 } as const

/** Database servers do not run as root. */
export const nobody = 65_534

/** A program as it is started: the first word of the command is its whole path. */
export interface Program {
  readonly command: readonly string[]
  /** Where it works, and writes its `log`. */
  readonly folder: string
  readonly asRoot?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** How it is ended with the drill; killed, unless it has something to put away. */
  readonly endBy?: 'SIGINT'
}

/** A program that runs beside the drill, and ends with it however that ends. */
export class Service {
  readonly #program: Program
  #child: ChildProcess | undefined

  constructor(drill: Drill, program: Program) {
    this.#program = program
    drill.atEnd(() => this.end(program.endBy ?? 'SIGKILL'))
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  async start(): Promise<void> {
    this.#child = (await spawned(this.#program)).child
  }

  /** Ends it, and waits until it is gone; what does not go in time is killed. */
  async end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (!child || !this.isRunning) return
    const ended = once(child, 'exit')
    child.kill(signal)
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await ended
    clearTimeout(late)
  }

  /** Kills it with every process it has made, all at once: what a machine does that loses its power. */
  async crash(): Promise<void> {
    const { pid } = this.#child ?? {}
    const children = pid === undefined ? [] : childrenOf(pid)
    const ended = this.end('SIGKILL')
    for (const child of children) kill(child)
    await ended
  }

  /** What it has written. */
  log(): Promise<string> {
    return readFile(join(this.#program.folder, 'log'), 'utf8')
  }
}

/** Runs a program to its end. @throws Error with what it said when it fails. */
export async function finish(program: Program): Promise<void> {
  const { ended } = await spawned(program)
  if ((await ended) === 0) return
  const said = await readFile(join(program.folder, 'log'), 'utf8')
  throw new Error(`${program.command.join(' ')} failed:\n${said.slice(-2_000)}`)
}

interface Spawned {
  readonly child: ChildProcess
  /** Resolves to the exit code; listened for from the beginning, a short program is soon gone. */
  readonly ended: Promise<number | null>
}

async function spawned({ command, folder, asRoot = false, env }: Program): Promise<Spawned> {
  const log = await open(join(folder, 'log'), 'a')
  const who = asRoot ? [] : ['--reuid', String(nobody), '--regid', String(nobody), '--clear-groups']
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...who, '--', ...command], {
    cwd: folder,
    stdio: ['ignore', log.fd, log.fd],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...env },
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  await once(child, 'spawn')
  await log.close()
  return { child, ended }
}

function childrenOf(pid: number): number[] {
  return globSync(`/proc/${pid}/task/*/children`).flatMap((path) =>
    readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  )
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It was faster.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
