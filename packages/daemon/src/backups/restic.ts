import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, rm, stat } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { parseJsonOrUndefined } from '@innkeeper/contract/parse-json'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import { locateProgram } from '../environments/locate-program.ts'
import { ifExists } from '../fs/if-exists.ts'
import type { Confinement } from '../isolation/isolation.ts'
import { loadOrCreateSecret } from '../panel-link/secret-file.ts'
import { confinedCommand, type ServerMount } from './confined-command.ts'
import { type ResticExit, resticError } from './restic-errors.ts'

/** Timeout of a job. */
export const backupTimeoutMs = 12 * 60 * 60 * 1000
/** Timeout of a short command on the repository. */
const commandTimeoutMs = 10 * 60 * 1000
const cancelTimeoutMs = 10_000
/** The last lines of an error. */
const maxErrorBytes = 4_096

export interface ResticDeps {
  /** The directory of everything about backups. */
  readonly dir: string
  /** Name or path of the program. */
  readonly program: string
  /** Where a name is looked up. */
  readonly path: string
  readonly confinement: Confinement
  readonly makeKey: () => string
  readonly log: Logger
}

export interface ResticOptions {
  /** The files of a server that it reads or writes, as its working directory. */
  readonly mount?: ServerMount | undefined
  readonly signal: AbortSignal
  /** Called for each JSON message. */
  readonly onMessage?: ((message: ResticMessage) => void) | undefined
  /** Written to its standard input. */
  readonly input?: Buffer | undefined
  readonly timeoutMs?: number | undefined
  /** Successful exit codes; 3: some files could not be read. */
  readonly exitCodes?: readonly number[] | undefined
  /** Nice value. By default games come first. */
  readonly priority?: number | undefined
}

/** Nice value of work that users wait for. */
const defaultPriority = 10

/** A line of its JSON output. */
export type ResticMessage = Readonly<Record<string, unknown>>

/** The first version with compression and downloads as zip. */
const oldest = [0, 14] as const

/** Runs restic on the repository of this node, with the key of this node. */
export class Restic {
  readonly #deps: ResticDeps
  readonly #repository: string
  readonly #jail: string
  #program: Promise<string> | undefined
  /** Whether a process may have left a lock: an earlier daemon's, or one that failed. */
  #mayBeLocked = true

  constructor(deps: ResticDeps) {
    this.#deps = deps
    this.#repository = join(deps.dir, 'repository')
    this.#jail = join(deps.dir, 'jail')
  }

  /** Whether there is a repository. */
  async isInitialized(): Promise<boolean> {
    return await exists(join(this.#repository, 'config'))
  }

  /** Creates the repository on first use, and removes locks whose process is gone. */
  async prepare(signal: AbortSignal): Promise<void> {
    await this.#makeDirectories()
    if (await this.isInitialized()) {
      if (this.#mayBeLocked) await this.run(['unlock'], { signal })
      this.#mayBeLocked = false
    } else await this.run(['init', '--repository-version', '2'], { signal })
  }

  /** Runs a command and returns its output. Throws ErrBackupFailed, ErrDisk, ErrMissingBinary or the abort reason. */
  async run(args: readonly string[], options: ResticOptions): Promise<readonly ResticMessage[]> {
    const { signal, onMessage, input, timeoutMs = commandTimeoutMs, exitCodes = [0] } = options
    const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const child = await this.#spawn(args, options.mount, ending)
    lowerPriority(child, options.priority ?? defaultPriority)
    const messages: ResticMessage[] = []
    const read = readMessages(child.stdout, onMessage ?? ((message) => messages.push(message)))
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
    const [exit] = await Promise.all([exitOf(child, ending), read])
    const isDone = exit.code !== null && exitCodes.includes(exit.code)
    if (!isDone) this.#mayBeLocked = true
    ending.throwIfAborted()
    if (!isDone) throw resticError(exit)
    return messages
  }

  /** Runs a command and returns its output as a stream, which breaks if the command fails. */
  async stream(args: readonly string[], signal: AbortSignal): Promise<Readable> {
    const child = await this.#spawn(args, undefined, signal)
    const { stdout } = child
    if (!stdout) throw new Error('restic has no output')
    child.stdin?.end()
    // The end of the output must not be seen before the exit code.
    const output = stdout.iterator({ destroyOnReturn: true })
    const exit = exitOf(child, signal)
    async function* checked(): AsyncGenerator<Buffer> {
      for await (const part of output) yield part as Buffer
      const { code, ...rest } = await exit
      if (code !== 0) throw resticError({ code, ...rest })
    }
    return Readable.from(checked(), { objectMode: false }).once('close', () => child.kill())
  }

  async #spawn(args: readonly string[], mount: ServerMount | undefined, signal: AbortSignal): Promise<ChildProcess> {
    signal.throwIfAborted()
    const { confinement, dir } = this.#deps
    if (confinement.type === 'impossible') throw new Refusal('ErrBackupFailed', { reason: confinement.reason })
    this.#program ??= this.#findProgram()
    const program = await this.#program.catch((cause: unknown) => {
      // It may be installed meanwhile.
      this.#program = undefined
      throw cause
    })
    const { repository, ...command } = confinedCommand({
      confinement,
      program,
      args: ['--no-cache', '--json', ...args],
      repository: this.#repository,
      jail: this.#jail,
      mount,
    })
    return spawn(command.file, command.args, {
      cwd: command.cwd,
      env: {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        RESTIC_PASSWORD: await this.#key(),
        RESTIC_REPOSITORY: repository,
        RESTIC_PROGRESS_FPS: '2',
        ...(confinement.type === 'none' && { TMPDIR: join(dir, 'tmp') }),
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  }

  /** Never makes a second key for a repository, which could not be opened with it. */
  async #key(): Promise<string> {
    const path = join(this.#deps.dir, 'key')
    if ((await this.isInitialized()) && !(await exists(path)))
      throw new Refusal('ErrBackupFailed', { reason: `the key of the repository is missing: ${path}` })
    return await loadOrCreateSecret(path, this.#deps.makeKey)
  }

  async #findProgram(): Promise<string> {
    return (await locateRestic(this.#deps.program, this.#deps.path)).file
  }

  async #makeDirectories(): Promise<void> {
    for (const name of ['repository', 'jail', 'tmp'])
      await mkdir(join(this.#deps.dir, name), { recursive: true, mode: 0o700 })
    // An interrupted initialization leaves directories without a configuration.
    if (!(await this.isInitialized())) await rm(join(this.#repository, 'keys'), { recursive: true, force: true })
  }
}

/**
 * The path of the program and what it prints as its version.
 * @throws Refusal when it is missing or too old
 */
export async function locateRestic(program: string, path: string): Promise<{ file: string; version: string }> {
  const { file } = await locateProgram({ key: '', file: program, args: [], cwd: '/', env: { PATH: path } })
  const child = spawn(file, ['version'], { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.on('data', (data: Buffer) => {
    text = (text + data.toString()).slice(0, 200)
  })
  await exitOf(child, AbortSignal.timeout(cancelTimeoutMs))
  const [, major, minor] = /^restic (\d+)\.(\d+)/.exec(text) ?? []
  const isOld = Number(major) === oldest[0] && Number(minor) < oldest[1]
  if (major === undefined || isOld) {
    const found = text.trim() || 'no version'
    throw new Refusal('ErrBackupFailed', { reason: `restic ${oldest.join('.')} or newer is needed: ${found}` })
  }
  return { file, version: text.trim() }
}

/** It may have ended already. */
function lowerPriority({ pid }: ChildProcess, priority: number): void {
  try {
    if (pid !== undefined) setPriority(pid, priority)
  } catch (error) {
    if (
      !['ESRCH', 'EACCES', 'EPERM'].includes(
        (error as NodeJS.ErrnoException & { info?: { code?: string } }).info?.code ?? '',
      )
    )
      throw error
  }
}

/** Ends the process on abort, first so that it can remove its lock. */
async function exitOf(child: ChildProcess, signal: AbortSignal): Promise<ResticExit> {
  let stderr = ''
  child.stderr?.on('data', (data: Buffer) => {
    stderr = (stderr + data.toString()).slice(-maxErrorBytes)
  })
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    child.kill('SIGINT')
    timer = setTimeout(() => child.kill('SIGKILL'), cancelTimeoutMs)
  }
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const exit = new Promise<ResticExit>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, killedBy) => resolve({ code, signal: killedBy, stderr }))
  })
  return await exit.finally(() => {
    signal.removeEventListener('abort', end)
    clearTimeout(timer)
  })
}

/** Lines that are not JSON are for people, and the last one of a process that was ended may be incomplete. */
async function readMessages(output: Readable | null, onMessage: (message: ResticMessage) => void): Promise<void> {
  if (!output) return
  for await (const line of createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY })) {
    const parsed = /^\s*[[{]/.test(line) ? (parseJsonOrUndefined(line) ?? []) : []
    for (const one of Array.isArray(parsed) ? parsed : [parsed]) onMessage(one as ResticMessage)
  }
}

async function exists(path: string): Promise<boolean> {
  return (await ifExists(stat(path))) !== undefined
}
