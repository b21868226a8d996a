import { createServer, type Server, type Socket } from 'node:net'
import { sharedSave } from '@innkeeper/contract/jobs/mutex'
import { getCode } from '../../errors/error-code.ts'
import { BufferPool } from '../../memory/buffer-pool.ts'
import { bootId, type ProcessId, readProcessStat } from '../../proc/process-stat.ts'
import { runMarker } from '../../proc/process-table.ts'
import { launchEnvironment } from '../launch.ts'
import {
  type KeeperState,
  keeperLimits,
  protocol,
  type RunFolder,
  type RunReport,
  type StartRequest,
  type ToKeeper,
} from '../protocol.ts'
import { removeState, writeState } from '../state-file.ts'
import type { ChildProcessHandle, Command, ProcessEvents } from './child-process-handle.ts'
import { DaemonConnection } from './daemon-connection.ts'
import { KeeperRun } from './keeper-run.ts'
import { startPiped } from './piped-process.ts'

interface Deps {
  readonly folder: RunFolder
  readonly generation: number
  readonly log: (text: string) => void
  /** Forks with the oom_score_adj that the daemon had, so that the child is not protected from the OOM killer. */
  readonly spawnGuarded: <T>(fork: () => T) => T
  /** The Node.js arguments that run the exec launcher. */
  readonly launcher: readonly string[]
  /** The environment variables that Node.js needs to run the exec launcher. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called once, when the keeper has nothing left to do. */
  readonly onShutdown: () => void
}

/** Owns the processes of one node and serves one daemon at a time. Enforces one live run per key. */
export class Keeper {
  readonly #deps: Deps
  readonly #self: ProcessId
  readonly #server: Server
  readonly #saveState: () => Promise<void>
  readonly #boot = bootId()
  readonly #pool = new BufferPool(keeperLimits.chunkBytes, keeperLimits.outputBytes / keeperLimits.chunkBytes)
  readonly #runs = new Map<string, KeeperRun>()
  readonly #starting = new Set<Promise<void>>()
  #daemon: DaemonConnection | undefined
  #isRetired = false
  #idle: NodeJS.Timeout | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#self = { pid: process.pid, startTime: readProcessStat(process.pid)?.startTime ?? 0 }
    this.#saveState = sharedSave(this, () => writeState(deps.folder, this.#report))
    this.#server = createServer((socket) => this.#accept(socket))
  }

  /** Resolves when daemons can connect. */
  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(this.#deps.folder.socket(this.#report.socket), resolve)
    })
    await this.#saveState()
    this.#shutdownWhenIdle()
  }

  get hasRuns(): boolean {
    return this.#runs.size > 0
  }

  async shutdown(): Promise<void> {
    this.#server.close()
    await removeState(this.#deps.folder, this.#report)
    this.#deps.onShutdown()
  }

  get #report(): KeeperState {
    const { generation } = this.#deps
    return {
      protocol,
      generation,
      boot: this.#boot,
      keeper: this.#self,
      socket: `keeper-${generation}-${this.#self.pid}-${this.#self.startTime}.sock`,
      runs: [...this.#runs.values()].map(({ id, key, processId, exit }) => ({ id, key, process: processId, exit })),
    }
  }

  #accept(socket: Socket): void {
    this.#daemon?.send({ is: 'replaced' })
    this.#daemon?.close()
    this.#onDisconnect()
    clearTimeout(this.#idle)
    const daemon = new DaemonConnection(
      socket,
      (message, payload) => {
        if (this.#daemon === daemon) this.#handle(message, payload)
      },
      (why) => {
        if (why) this.#deps.log(`connection lost: ${String(why)} ${String(why.cause ?? '')}`)
        if (this.#daemon === daemon) this.#onDisconnect()
      },
    )
    this.#daemon = daemon
    void this.#welcome(daemon)
  }

  /** Without a reader, output is never paused. */
  #onDisconnect(): void {
    this.#daemon = undefined
    for (const run of this.#runs.values()) run.follow(false)
    this.#shutdownWhenIdle()
  }

  /** Waits for starts requested by an earlier daemon, so that the new one learns of every run. */
  async #welcome(daemon: DaemonConnection): Promise<void> {
    await Promise.all(this.#starting)
    const runs = [...this.#runs.values()].map((run) => run.report).filter((run): run is RunReport => run !== undefined)
    daemon.send({ is: 'welcome', protocol, generation: this.#deps.generation, runs })
  }

  #handle(message: ToKeeper, payload: Buffer): void {
    if (message.is === 'start') this.#trackStart(message)
    else if (message.is === 'retire') this.#retire()
    else {
      const run = this.#runs.get(message.id)
      if (run) this.#handleForRun(run, message, payload)
    }
  }

  #handleForRun(run: KeeperRun, message: Exclude<ToKeeper, { is: 'start' | 'retire' }>, payload: Buffer): void {
    switch (message.is) {
      case 'follow':
        run.follow(true)
        this.#daemon?.follow(run, message.from)
        break
      case 'acknowledge':
        run.acknowledge(message.to)
        break
      case 'write':
        this.#write(run, payload)
        break
      case 'resize':
        run.resize(message.size.cols, message.size.rows)
        break
      case 'forget':
        this.#forget(run)
    }
  }

  #write(run: KeeperRun, payload: Buffer): void {
    const bytes = run.write(payload)
    if (bytes > 0) this.#daemon?.send({ is: 'inputLost', id: run.id, bytes })
  }

  #trackStart(order: StartRequest): void {
    const starting = this.#start(order).finally(() => this.#starting.delete(starting))
    this.#starting.add(starting)
  }

  async #start(order: StartRequest): Promise<void> {
    const { id, key } = order
    const refuse = (why: 'live' | 'retired' | 'failed', code = '', message = '') => {
      this.#daemon?.send({ is: 'refused', id, why, code, message })
    }
    if (this.#isRetired) return refuse('retired')
    if ([...this.#runs.values()].some((run) => run.id === id || (run.key === key && !run.exit))) return refuse('live')

    const run = new KeeperRun(id, key, order.terminal !== undefined, this.#pool)
    this.#runs.set(id, run)
    try {
      await this.#saveState()
      const child = await this.#spawn(order, run)
      run.onStarted(child, { pid: child.pid, startTime: readProcessStat(child.pid)?.startTime ?? 0 })
    } catch (error) {
      this.#runs.delete(id)
      this.#save()
      return refuse('failed', getCode(error), error instanceof Error ? error.message : String(error))
    }
    await this.#saveState().catch((error: unknown) => this.#deps.log(`cannot save: ${String(error)}`))
    if (run.report) this.#daemon?.send({ is: 'started', run: run.report })
  }

  async #spawn(order: StartRequest, run: KeeperRun): Promise<ChildProcessHandle> {
    const { folder, spawnGuarded } = this.#deps
    const events: ProcessEvents = {
      onOutput: (bytes) => {
        run.onOutput(bytes)
        this.#daemon?.schedule(run)
      },
      onEnd: (exit) => {
        run.onExited(exit)
        this.#save()
        this.#daemon?.schedule(run)
      },
    }
    const marked = { ...order, env: { ...order.env, [runMarker]: order.id } }
    if (order.terminal) {
      // Loaded with the first terminal: the library is a tenth of the keeper's memory.
      const { startOnTerminal } = await import('./terminal-process.ts')
      return startOnTerminal(this.#withoutInheritedFds(marked, run), order.terminal, spawnGuarded, events)
    }
    return startPiped(() => this.#withoutInheritedFds(marked, run), folder.file(order.id), spawnGuarded, events)
  }

  /** Wraps the command in the exec launcher while a terminal's master descriptor could be inherited. */
  #withoutInheritedFds(command: Command, starting: KeeperRun): Command {
    const hasTerminal = [...this.#runs.values()].some((run) => run.isTerminal && !run.exit && run !== starting)
    if (!hasTerminal) return command
    const { file, args, cwd, env } = command
    const inherited = Object.entries(this.#deps.environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    return {
      file: process.execPath,
      args: this.#deps.launcher,
      cwd,
      env: {
        ...Object.fromEntries(inherited),
        ...(env.TERM === undefined ? {} : { TERM: env.TERM }),
        ...launchEnvironment({ file, args, env }),
        [runMarker]: env[runMarker] ?? '',
      },
    }
  }

  #forget(run: KeeperRun): void {
    if (!run.exit) return
    this.#runs.delete(run.id)
    this.#daemon?.unfollow(run)
    run.output.clear()
    this.#save()
    if (this.#isRetired && !this.hasRuns) void this.shutdown()
  }

  #retire(): void {
    this.#isRetired = true
    if (!this.hasRuns) void this.shutdown()
  }

  /** Retried with the next change; a full disk must not affect the processes. */
  #save(): void {
    this.#saveState().catch((error: unknown) => this.#deps.log(`cannot save: ${String(error)}`))
  }

  #shutdownWhenIdle(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      if (this.#daemon) return
      if (this.hasRuns) this.#shutdownWhenIdle()
      else void this.shutdown()
    }, keeperLimits.idleMs)
  }
}
