import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { formatReason, type ReasonCode } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import type { Logger } from 'pino'
import { z } from 'zod'
import { writeFileAtomic } from '../../fs/atomic-write.ts'
import { ifExists, readTextIfExists } from '../../fs/if-exists.ts'
import type { Confinement } from '../../isolation/isolation.ts'
import { loadOrCreateSecret } from '../../panel-link/secret-file.ts'
import { prepareAccess, requireReachable } from './access-files.ts'
import { confinedCommand, confinedPaths, type RemoteMounts, type ServerMount } from './confined-command.ts'
import { locateRestic } from './locate-restic.ts'
import type { RepositoryAccess } from './repository-access.ts'
import { backupDamage, isMissingRepository, isSourceDamage, resticError, targetError } from './restic-errors.ts'
import { lastRetryIn, lowerPriority, type ResticMessage, readExit, readMessages } from './restic-process.ts'

/** Timeout of a job. */
export const backupTimeoutMs = 12 * 60 * 60 * 1000
/** Timeout for opening or creating a repository on another machine. */
const openTimeoutMs = 60_000
/** restic waits longer after each error of a target, for a quarter of an hour: it is ended before it waits for this long. */
const defaultTargetWaitMs = 20_000
/** Timeout of a short command on the repository. */
const commandTimeoutMs = 10 * 60 * 1000

export interface ResticDeps {
  /** The directory of everything about backups. */
  readonly dir: string
  /** Name or path of the program. */
  readonly program: string
  /** Where a name is looked up. */
  readonly path: string
  readonly confinement: Confinement
  /** The longest wait of restic after an error of a target. */
  readonly targetWaitMs?: number | undefined
  readonly log: Logger
}

/** A repository on another machine. */
export interface RemoteRepository {
  /** The name of its directories. */
  readonly id: string
  readonly access: RepositoryAccess
  /** The ID of the repository; undefined if it was never opened. */
  readonly known: string | undefined
  /** Creates the repository in the folder of the node, if there never was one. */
  readonly prepareSource: (signal: AbortSignal) => Promise<void>
  /** Called when it was opened for the first time. */
  readonly onOpened: (repository: string) => Promise<void>
}

export interface ResticOptions {
  /** The files of a server that it reads or writes, as its working directory. */
  readonly mount?: ServerMount | undefined
  readonly signal: AbortSignal
  /** Called for each JSON message. */
  readonly onMessage?: ((message: ResticMessage) => void) | undefined
  /** Called for each JSON message about a file that could not be read. */
  readonly onFileError?: ((message: ResticMessage) => void) | undefined
  /** Written to its standard input. */
  readonly input?: Buffer | undefined
  readonly timeoutMs?: number | undefined
  /** Successful exit codes; 3: some files could not be read. */
  readonly exitCodes?: readonly number[] | undefined
  /** Nice value. By default games come first. */
  readonly priority?: number | undefined
  /** Whether it also reads the repository of the node, to copy from it. */
  readonly isCopying?: boolean | undefined
}

/** Nice value of work that users wait for. */
const defaultPriority = 10

/** Runs restic on a repository of this node, with the key of this node. */
export class Restic {
  readonly #deps: ResticDeps
  /** Missing for the one in the folder of the node. */
  readonly #remote: RemoteRepository | undefined
  readonly #repository: string
  readonly #jail: string
  #program: ReturnType<typeof locateRestic> | undefined
  /** Whether a process may have left a lock: an earlier daemon's, or one that failed. */
  #mayBeLocked = true
  /** The file in the folder of the node that `repository-id` was compared with. */
  #checkedConfig: string | undefined

  constructor(deps: ResticDeps, remote?: RemoteRepository) {
    this.#deps = deps
    this.#remote = remote
    this.#repository = join(deps.dir, 'repository')
    this.#jail = join(deps.dir, 'jail')
  }

  /** Whether the program is of this version or newer. */
  async isAtLeast(major: number, minor: number): Promise<boolean> {
    const { numbers } = await this.#findProgram()
    return numbers.major > major || (numbers.major === major && numbers.minor >= minor)
  }

  /** Whether there is a repository in the folder of the node. */
  async isInitialized(): Promise<boolean> {
    return await exists(join(this.#repository, 'config'))
  }

  /** Creates the repository on first use, and removes locks whose process is gone. Jobs that begin at once take turns. */
  async prepare(signal: AbortSignal): Promise<void> {
    await withLock([this], () => this.#prepare(signal))
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#remote) await this.open(signal)
    else if (!(await this.#hasKnownRepository(signal))) {
      await mkdir(this.#repository, { recursive: true, mode: 0o700 })
      // An interrupted initialization leaves directories without a configuration.
      await rm(join(this.#repository, 'keys'), { recursive: true, force: true })
      await this.run(['init', '--repository-version', '2'], { signal })
      await this.#hasKnownRepository(signal)
    }
    if (this.#mayBeLocked) await this.run(['unlock'], { signal })
    this.#mayBeLocked = false
  }

  /** For commands that do not lock the repository. */
  async prepareRead(signal: AbortSignal): Promise<void> {
    if (this.#remote) await this.open(signal)
    else await this.#hasKnownRepository(signal)
  }

  /**
   * Whether there is a repository in the folder of the node. Remembers its ID, and throws when it is missing or another
   * one later, as when its disk is not mounted: a new one must not take its place.
   */
  async #hasKnownRepository(signal: AbortSignal): Promise<boolean> {
    await this.#makeDirectories()
    const path = join(this.#deps.dir, 'repository-id')
    const known = await readTextIfExists(path)
    const config = await ifExists(stat(join(this.#repository, 'config')))
    const refuse = (reason: ReasonCode) =>
      new Refusal('ErrBackupFailed', { reason: formatReason(reason, { path: this.#repository }) })
    if (!config) {
      if (known !== undefined) throw refuse('localRepositoryMissing')
      return false
    }
    const found = `${config.dev} ${config.ino} ${config.mtimeMs}`
    if (known !== undefined && found === this.#checkedConfig) return true
    const id = await this.#readConfig(signal)
    if (known === undefined) await writeFileAtomic(path, id)
    else if (known !== id) throw refuse('localRepositoryReplaced')
    this.#checkedConfig = found
    return true
  }

  /**
   * Opens a repository on another machine; creates it if it was never opened. Returns whether it was created. Files are
   * cut at the same places as in the folder of the node, so that copies add only what is new.
   */
  async open(signal: AbortSignal): Promise<boolean> {
    const remote = this.#remote
    if (!remote) throw new Error('the folder of the node needs no opening')
    const limit = AbortSignal.timeout(openTimeoutMs)
    return await this.#open(remote, AbortSignal.any([signal, limit])).catch((cause: Error) => {
      if (!limit.aborted || signal.aborted) throw cause
      const reason = `the target did not respond within ${openTimeoutMs / 1_000} seconds`
      throw new Refusal('ErrBackupFailed', { reason }, { cause })
    })
  }

  async #open({ id, access, known, prepareSource, onOpened }: RemoteRepository, signal: AbortSignal): Promise<boolean> {
    await this.#makeDirectories()
    await prepareAccess(this.#remoteMounts(id), access, this.#paths.access)
    await requireReachable(access, signal)
    const found = await this.#readConfig(signal).catch((cause: Error) => {
      if (!isMissingRepository(cause)) throw cause
      if (known !== undefined)
        throw new Refusal('ErrBackupFailed', { reason: formatReason('repositoryMissing') }, { cause })
    })
    if (found === undefined) {
      await prepareSource(signal)
      const args = ['init', '--repository-version', '2', ...this.#source, '--copy-chunker-params']
      await this.run(args, { isCopying: true, signal })
    }
    const opened = found ?? (await this.#readConfig(signal))
    if (known === undefined) await onOpened(opened)
    else if (opened !== known) throw new Refusal('ErrBackupFailed', { reason: formatReason('otherRepository') })
    return found === undefined
  }

  /** Copies snapshots from the folder of the node, unless they are here already. */
  async copy(snapshots: readonly string[], signal: AbortSignal): Promise<void> {
    await this.#remote?.prepareSource(signal)
    const args = ['copy', ...this.#source, ...snapshots]
    await this.run(args, { isCopying: true, timeoutMs: backupTimeoutMs, signal })
  }

  /** The ID of the repository. */
  async #readConfig(signal: AbortSignal): Promise<string> {
    let text = ''
    const output = await this.stream(['cat', 'config', '--no-lock'], signal)
    for await (const part of output) text = (text + String(part)).slice(0, 4_096)
    return z.object({ id: z.string() }).parse(JSON.parse(text)).id
  }

  get #source(): readonly string[] {
    return ['--from-repo', this.#paths.repository]
  }

  get #paths(): ReturnType<typeof confinedPaths> {
    const remote = this.#remote && this.#remoteMounts(this.#remote.id)
    return confinedPaths(this.#deps.confinement, { repository: this.#repository, remote })
  }

  #remoteMounts(id: string): RemoteMounts {
    return { access: join(this.#deps.dir, 'access', id), cache: join(this.#deps.dir, 'cache', id) }
  }

  /** Runs a command and returns its output. Throws ErrBackupFailed, ErrDisk, ErrMissingBinary or the abort reason. */
  async run(args: readonly string[], options: ResticOptions): Promise<readonly ResticMessage[]> {
    const { signal, onMessage, input, timeoutMs = commandTimeoutMs, exitCodes = [0] } = options
    const failing = new AbortController()
    const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs), failing.signal])
    const child = await this.#spawn(args, options, ending)
    lowerPriority(child, options.priority ?? defaultPriority)
    const listeners = { onError: this.#targetWatch(failing), onMessage: options.onFileError }
    const messages: ResticMessage[] = []
    const read = readMessages(child.stdout, onMessage ?? ((message) => messages.push(message)))
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
    const [exit] = await Promise.all([readExit(child, ending, listeners), read])
    const isDone = exit.code !== null && exitCodes.includes(exit.code)
    if (!isDone && !args.includes('--no-lock')) this.#mayBeLocked = true
    signal.throwIfAborted()
    const isAborted = failing.signal.aborted
    if (!isAborted) ending.throwIfAborted()
    if (!isDone && options.isCopying && isSourceDamage(exit)) throw backupDamage(new Error(exit.stderr))
    if (isAborted && this.#remote) throw targetError(exit, String(failing.signal.reason), this.#remote.access)
    if (!isDone) throw resticError(exit, this.#remote?.access)
    return messages
  }

  /** Runs a command and returns its output as a stream, which breaks if the command fails. */
  async stream(args: readonly string[], signal: AbortSignal): Promise<Readable> {
    const failing = new AbortController()
    const ending = AbortSignal.any([signal, AbortSignal.timeout(backupTimeoutMs), failing.signal])
    const child = await this.#spawn(args, {}, ending)
    const access = this.#remote?.access
    const { stdout } = child
    if (!stdout) throw new Error('restic has no output')
    child.stdin?.end()
    // The end of the output must not be seen before the exit code.
    const output = stdout.iterator({ destroyOnReturn: true })
    const exit = readExit(child, ending, { onError: this.#targetWatch(failing) })
    async function* checked(): AsyncGenerator<Buffer> {
      for await (const part of output) yield part as Buffer
      const { code, ...rest } = await exit
      signal.throwIfAborted()
      if (!failing.signal.aborted) ending.throwIfAborted()
      if (failing.signal.aborted && access) throw targetError(rest, String(failing.signal.reason), access)
      if (code !== 0) throw resticError({ code, ...rest }, access)
    }
    return Readable.from(checked(), { objectMode: false }).once('close', () => child.kill())
  }

  /** Aborts when the target keeps failing, with its last error. */
  #targetWatch(failing: AbortController): (stderr: string) => void {
    const maxWaitMs = this.#deps.targetWaitMs ?? defaultTargetWaitMs
    return (stderr) => {
      const retry = this.#remote && lastRetryIn(stderr)
      if (retry && retry.waitMs >= maxWaitMs) failing.abort(retry.reason)
    }
  }

  async #spawn(
    args: readonly string[],
    { mount, isCopying = false }: Pick<ResticOptions, 'mount' | 'isCopying'>,
    signal: AbortSignal,
  ): Promise<ChildProcess> {
    signal.throwIfAborted()
    const { confinement, dir } = this.#deps
    if (confinement.type === 'impossible') throw new Refusal('ErrBackupFailed', { reason: confinement.reason })
    const { file: program } = await this.#findProgram()
    const remote = this.#remote
    const paths = this.#paths
    // The user of a server cannot write to the cache.
    const hasCache = remote !== undefined && mount?.access !== 'write'
    const options = [...(hasCache ? ['--cache-dir', paths.cache] : ['--no-cache']), '--json']
    const command = confinedCommand({
      confinement,
      program,
      args: [...options, ...(remote?.access.args(paths.access) ?? []), ...args],
      repository: remote && !isCopying ? undefined : this.#repository,
      remote: remote && this.#remoteMounts(remote.id),
      jail: this.#jail,
      mount,
    })
    const key = await this.#key()
    return spawn(command.file, command.args, {
      cwd: command.cwd,
      env: {
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
        RESTIC_PASSWORD: key,
        RESTIC_REPOSITORY: remote?.access.location ?? paths.repository,
        ...remote?.access.env(paths.access),
        ...(isCopying && { RESTIC_FROM_PASSWORD: key }),
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
      throw new Refusal('ErrBackupFailed', { reason: formatReason('repositoryKeyMissing', { path }) })
    return await loadOrCreateSecret(path, () => randomBytes(32).toString('hex'))
  }

  async #findProgram(): ReturnType<typeof locateRestic> {
    this.#program ??= locateRestic(this.#deps.program, this.#deps.path)
    return await this.#program.catch((cause: unknown) => {
      // It may be installed meanwhile.
      this.#program = undefined
      throw cause
    })
  }

  async #makeDirectories(): Promise<void> {
    for (const name of ['jail', 'tmp']) await mkdir(join(this.#deps.dir, name), { recursive: true, mode: 0o700 })
  }
}

async function exists(path: string): Promise<boolean> {
  return (await ifExists(stat(path))) !== undefined
}
