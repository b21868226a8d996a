import { join } from 'node:path'
import { type Definition, findEnvironmentType, getEnvironment } from '@innkeeper/contract/definitions/definition'
import { invalidCondition } from '@innkeeper/contract/definitions/definition-conditions'
import { validateDefinition } from '@innkeeper/contract/definitions/definition-problems'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ListenAddress } from '@innkeeper/contract/http/listen-address'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import type { Suspension } from '@innkeeper/contract/servers/suspension'
import type { Logger } from 'pino'
import { endsWithin } from '../concurrency/timeout.ts'
import { Console } from '../console/console.ts'
import { withRollback } from '../errors/cleanup.ts'
import { RootFs } from '../files/root.ts'
import type { Owner } from '../fs/owner.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { type StateFile, stateFiles } from '../lifecycle/state-file.ts'
import { LivenessReports } from '../liveness/liveness-reports.ts'
import { portsInUse } from '../network/ports-in-use.ts'
import { PlayerSessions } from '../players/sessions/player-sessions.ts'
import { killTimeoutMs } from '../proc/kill-tree.ts'
import type { Run } from '../processes/run.ts'
import { StatsHistory } from '../statistics/history.ts'
import { isStepProcess } from './actions/step-process.ts'
import { type DefinitionStore, definitionStore, type MovedServer, type StoredDefinition } from './definitions.ts'
import { templateVariables } from './launch/launch.ts'
import { checkRequirements, findMissingPrograms } from './launch/requirements.ts'
import { portConflicts } from './port-holders.ts'
import { Server, type ServerDeps } from './server.ts'
import { StartThrottle } from './start-throttle.ts'
import { assertTasksWithinLimits, assignTaskOwners } from './task-owners.ts'

/** How many servers are started at the same time when the node starts. */
const startsAtOnce = 4
/** How long other servers wait for the start of one, whose steps may take hours. It goes on. */
const autostartWaitMs = 60_000
/** How long others wait until the temporary files of one server are removed. */
const cleanupWaitMs = 60_000

interface Deps
  extends Pick<
    ServerDeps,
    | 'environmentFor'
    | 'scriptEnvironment'
    | 'fetch'
    | 'sharedStore'
    | 'curseforgeKey'
    | 'patterns'
    | 'sampler'
    | 'suspensions'
    | 'trash'
    | 'log'
  > {
  readonly isolation: Pick<Isolation, 'getOwner' | 'forget' | 'unsupportedFeatures'>
  readonly dataDir: string
  readonly path: string
  readonly user: string
  /** Processes of an earlier daemon that still run. */
  readonly runs: readonly Run[]
  /** The same for containers; undefined while the Docker Engine does not respond. */
  readonly containers: readonly Run[] | undefined
  /** Whether the Docker Engine can run containers. */
  readonly isDockerAvailable: () => Promise<boolean>
  /** Timeout for killing the process of an interrupted step. */
  readonly killWithinMs?: number
  readonly autostartWaitMs?: number | undefined
}

/** Receives the progress of a stop of all servers. */
export interface StopProgress {
  /** Called with the servers that still run, at once and then regularly. */
  readonly onWaiting?: (ids: readonly string[]) => void
  /** Called with a server that has not stopped in its time. */
  readonly onLeft?: (id: string) => void
}

const waitingReportMs = 10_000

/** The servers of this node. */
export class Registry {
  readonly #deps: Deps
  readonly #store: DefinitionStore
  readonly #servers = new Map<string, Server>()
  readonly #getStateFile: (id: string) => StateFile
  /** Servers in containers whose state is unknown because the Docker Engine has not responded yet. */
  readonly #unknownState = new Set<Server>()
  /** Servers that are moved away from here, or are arriving. They are not loaded. */
  readonly #moved = new Map<string, MovedServer>()
  /** Ids reserved by a `create` in progress. */
  readonly #creating = new Set<string>()
  readonly #addedListeners = new Set<(server: Server) => void>()
  readonly #log: Logger
  readonly #closing = new AbortController()
  readonly #watchers = new Set<() => void>()
  #tempFileCleanup: Promise<void> = Promise.resolve()
  readonly #startThrottle = new StartThrottle()
  #isClosed = false

  private constructor(deps: Deps, store: DefinitionStore) {
    this.#deps = deps
    this.#store = store
    this.#getStateFile = stateFiles(join(deps.dataDir, 'state'))
    this.#log = deps.log
  }

  /** Loads all definitions and reattaches to running processes. */
  static async open(deps: Deps): Promise<Registry> {
    const store = await definitionStore(join(deps.dataDir, 'servers'))
    const registry = new Registry(deps, store)
    for (const [id, moved] of await store.moved()) registry.#moved.set(id, moved)
    await Promise.all((await store.ids()).map((id) => registry.#load(id)))
    registry.#logOrphanProcesses([...deps.runs, ...(deps.containers ?? [])])
    return registry
  }

  /** Removes temporary files that an earlier daemon left. */
  removeStaleTempFiles(): void {
    this.#tempFileCleanup = this.#removeTempFilesOfAll()
  }

  /**
   * Reattaches to the containers of an engine that has become available, and starts the servers that start with the
   * node.
   */
  reattach(runs: readonly Run[]): void {
    for (const run of runs) if (isStepProcess(run)) void this.#endStep(run)
    for (const server of [...this.#servers.values()]) {
      const run = runs.find(({ key }) => key === `${server.id}/main`)
      const wasStateUnknown = this.#unknownState.delete(server)
      if (!run && !wasStateUnknown) continue
      server.setStateUnknown(false)
      // The server was started meanwhile; its start will find the container and report it.
      if (server.status.state !== 'offline') continue
      server.resume(run)
      server.stopWhileSuspended()
      if (wasStateUnknown && server.startsWithNode && server.status.state === 'offline')
        void this.#startWithNode(server)
    }
    this.#logOrphanProcesses(runs)
  }

  get servers(): readonly Server[] {
    return [...this.#servers.values()]
  }

  /** Calls the listener for every server that is added. */
  onAdded(listener: (server: Server) => void): void {
    this.#addedListeners.add(listener)
  }

  /** Calls the listener when a server is added, removed or changes its state. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.#watchers.add(listener)
    return () => this.#watchers.delete(listener)
  }

  find(id: string): Server | undefined {
    return this.#servers.get(id)
  }

  /** Returns the entries of `requirements.binaries` that are not installed on this machine. */
  missingPrograms(entries: readonly string[]): Promise<string[]> {
    return findMissingPrograms(entries, this.#deps.path)
  }

  get(id: string): Server {
    const server = this.find(id)
    if (!server) throw new Refusal(this.#moved.has(id) ? 'ErrServerMoving' : 'ErrServerNotFound')
    return server
  }

  /** A server that is moved away from here, or is arriving. */
  findMoved(id: string): MovedServer | undefined {
    return this.#moved.get(id)
  }

  get moved(): ReadonlyMap<string, MovedServer> {
    return this.#moved
  }

  /**
   * Closes a server that is offline, and stores that another node will have it: it cannot start here, also after a restart of
   * the daemon, until `openMoved`. Throws ErrServerBusy.
   */
  async seal(id: string, move: string): Promise<void> {
    await withLock([this], async () => {
      const moved = this.#moved.get(id)
      if (moved) return await this.#setMoved(id, { ...moved, move })
      const server = this.get(id)
      await withRollback(this.#seal(server, move), async () => {
        if (!server.isBeingRemoved) return
        this.#servers.delete(id)
        const stored = await this.#store.read(id)
        if (stored) this.#add(id, stored).resume(undefined)
      })
    })
  }

  async #seal(server: Server, move: string): Promise<void> {
    const { id } = server
    server.definition.requireValid()
    await server.release()
    const stored = await this.#store.read(id)
    if (stored?.status !== 'valid') throw new Refusal('ErrServerDamaged', { reason: stored?.reason ?? '' })
    await this.#setMoved(id, { move, definition: stored.raw })
    await this.#store.remove(id)
    this.#servers.delete(id)
    this.#notify()
  }

  /** Marks the files of a server that is not here yet as arriving. Throws ErrServerAlreadyExists when it is here. */
  async receive(id: string, move: string): Promise<void> {
    await withLock([this], async () => {
      const moved = this.#moved.get(id)
      if (moved?.move === move) return
      if (moved || this.#servers.has(id) || this.#creating.has(id) || (await this.#store.hasFiles(id)))
        throw new Refusal('ErrServerAlreadyExists')
      await this.#setMoved(id, { move })
    })
  }

  /**
   * Stores the definition and the suspension of a server that is arriving. The definition replaces the one that was stored when
   * it was sealed.
   */
  async setMovedDefinition(
    id: string,
    { move, definition }: MovedServer,
    suspension: Suspension | null,
  ): Promise<void> {
    await withLock([this], async () => {
      this.#requireMoved(id, move)
      await this.#deps.suspensions.set(id, suspension)
      await this.#setMoved(id, { move, definition })
    })
  }

  /** Loads a server that was sealed, or has arrived. Does nothing when it is loaded already. */
  async openMoved(id: string, move: string): Promise<void> {
    await withLock([this], async () => {
      if (this.#servers.has(id)) return
      const { definition } = this.#requireMoved(id, move)
      if (!definition) throw new Refusal('ErrServerMoving')
      const stored = await this.#store.write(id, definition)
      await this.#store.removeMoved(id)
      this.#moved.delete(id)
      this.#add(id, stored).resume(undefined)
    })
  }

  /** Forgets a server that was moved; the caller has removed its files. */
  async removeMoved(id: string): Promise<void> {
    await withLock([this], async () => {
      await this.#deps.suspensions.set(id, null)
      await this.#store.remove(id)
      await this.#store.removeMoved(id)
      this.#moved.delete(id)
      this.#deps.isolation.forget(id)
    })
  }

  /** The directory of a server's files, and who owns them. */
  getFiles(id: string): { readonly directory: string; readonly owner: Owner | undefined } {
    const { rootDir: directory, owner } = this.#getLocation(id)
    return { directory, owner }
  }

  #requireMoved(id: string, move: string): MovedServer {
    const moved = this.#moved.get(id)
    if (!moved) throw new Refusal('ErrServerNotFound')
    // A request of an earlier move, or of the other direction.
    if (moved.move !== move) throw new Refusal('ErrServerMoving')
    return moved
  }

  async #setMoved(id: string, moved: MovedServer): Promise<void> {
    await this.#store.writeMoved(id, moved)
    this.#moved.set(id, moved)
  }

  /** Throws what creating a server with this definition here throws. */
  async check(id: string, definition: Definition): Promise<void> {
    const error = validateDefinition(definition) ?? invalidCondition(definition)
    if (error) throw error
    if (this.#servers.has(id) || this.#moved.has(id) || (await this.#store.hasFiles(id)))
      throw new Refusal('ErrServerAlreadyExists')
    await this.#checkRequirements(id, definition)
  }

  async create(id: string, definition: Definition): Promise<Server> {
    const error = validateDefinition(definition) ?? invalidCondition(definition)
    if (error) throw error
    assertTasksWithinLimits(definition.tasks, undefined)
    if (this.#servers.has(id) || this.#moved.has(id) || this.#creating.has(id))
      throw new Refusal('ErrServerAlreadyExists')
    this.#creating.add(id)
    return await this.#createFresh(id, definition).finally(() => this.#creating.delete(id))
  }

  /** Undoes everything on failure. */
  async #createFresh(id: string, definition: Definition): Promise<Server> {
    // The file may have been created outside of the daemon since the last reload.
    if (await this.#store.read(id)) throw new Refusal('ErrServerAlreadyExists')
    return await withRollback(this.#allocate(id, definition), async () => {
      await this.#undoCreate(id, this.#store.getFolder(id)).catch((err: unknown) => {
        this.#log.error({ err, server: id }, 'cleanup after a failed server creation failed')
      })
    })
  }

  async #allocate(id: string, definition: Definition): Promise<Server> {
    const location = this.#getLocation(id)
    await this.#checkRequirements(id, definition)
    await using _ = await RootFs.open(location.rootDir, { create: true, owner: location.owner })
    // Owners in a template have no meaning on this node.
    const tasks = assignTaskOwners(definition.tasks, undefined, undefined)
    const stored = await this.#store.write(id, { ...definition, ...(tasks && { tasks }) })
    const server = this.#add(id, stored)
    server.console.say('Server allocated')
    return server
  }

  async #checkRequirements(id: string, definition: Definition): Promise<void> {
    const location = this.#getLocation(id)
    await checkRequirements(definition.requirements ?? undefined, {
      definition,
      values: templateVariables(definition, location),
      path: location.path,
      isDockerAvailable: this.#deps.isDockerAvailable,
    })
  }

  async #undoCreate(id: string, folder: string): Promise<void> {
    this.#servers.delete(id)
    await this.#store.remove(id)
    await RootFs.removeIfEmpty(folder)
    this.#deps.isolation.forget(id)
  }

  /** Throws ErrServerNotFound. */
  async setSuspension(id: string, suspension: Suspension | null): Promise<void> {
    await this.get(id).setSuspension(suspension)
    this.#notify()
  }

  async remove(id: string): Promise<void> {
    await this.get(id).remove()
    this.#servers.delete(id)
    this.#deps.isolation.forget(id)
    this.#notify()
  }

  #notify(): void {
    for (const listener of this.#watchers) listener()
  }

  /** Starts the servers with autostart, a few at a time and throttled by CPU load. */
  async autostart(): Promise<void> {
    const waiting = this.servers.filter(
      (server) =>
        server.startsWithNode && !server.sleep && server.status.state === 'offline' && !this.#unknownState.has(server),
    )
    let isFirst = true
    const startNext = async (): Promise<void> => {
      for (let server = waiting.shift(); server; server = waiting.shift()) {
        if (!isFirst) await this.#startThrottle.acquire()
        isFirst = false
        if (this.#isClosed) return
        await endsWithin(this.#startWithNode(server), this.#deps.autostartWaitMs ?? autostartWaitMs)
      }
    }
    await Promise.all(Array.from({ length: startsAtOnce }, startNext))
  }

  /** Stops all servers and waits until they have exited. Those that have not after their stop time are left running. */
  async stopAll({ onWaiting, onLeft }: StopProgress = {}): Promise<void> {
    const waiting = new Set(this.servers.filter((server) => server.status.state !== 'offline'))
    const report = () => {
      if (waiting.size > 0) onWaiting?.([...waiting].map(({ id }) => id))
    }
    report()
    const timer = setInterval(report, waitingReportMs)
    const stop = async (server: Server) => {
      await endsWithin(this.#stop(server), server.stopTimeoutMs + killTimeoutMs)
      waiting.delete(server)
      if (server.status.state !== 'offline') onLeft?.(server.id)
    }
    await Promise.all([...waiting].map(stop)).finally(() => clearInterval(timer))
  }

  /** Never rejects: a failure must not prevent the other servers from stopping. */
  async #stop(server: Server): Promise<void> {
    try {
      const isKilled = server.status.installing || !server.canBeStopped
      await server.power(isKilled ? 'kill' : 'stop').ended
    } catch (cause) {
      this.#log.warn({ err: cause, server: server.id }, 'failed to stop a server')
    }
  }

  /** Detaches from all servers without stopping them. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#tempFileCleanup
    this.#isClosed = true
    await Promise.all(this.servers.map((server) => server.close()))
  }

  async #startWithNode(server: Server): Promise<void> {
    try {
      await server.power('start').ended
    } catch (cause) {
      this.#log.warn({ err: cause, server: server.id }, 'failed to start a server with the node')
    }
  }

  async #load(id: string): Promise<void> {
    const stored = await this.#store.read(id)
    if (!stored) return
    const { runs, containers } = this.#deps
    const own = [...runs, ...(containers ?? [])].filter((run) => run.key.startsWith(`${id}/`))
    await Promise.all(own.filter(isStepProcess).map((run) => this.#end(run)))
    const server = this.#add(id, stored)
    if (own.some(isStepProcess)) await this.#restoreOwner(server)
    const run = own.find(({ key }) => key === `${id}/main`)
    if (run || containers || !isContained(stored)) {
      server.resume(run)
      server.stopWhileSuspended()
      return
    }
    this.#unknownState.add(server)
    server.setStateUnknown(true)
    server.console.say('Docker Engine does not respond. The state of this server is unknown until it does.')
  }

  /** Sequential: it is disk I/O without urgency. */
  async #removeTempFilesOfAll(): Promise<void> {
    const { signal } = this.#closing
    const ends: Promise<void>[] = []
    for (const server of this.servers) {
      const removing = server.removeStaleTempFiles(signal).catch((err: unknown) => {
        if (!signal.aborted) this.#log.warn({ err, server: server.id }, 'failed to remove temporary files')
      })
      ends.push(removing)
      await endsWithin(removing, cleanupWaitMs)
    }
    await Promise.all(ends)
  }

  #add(id: string, stored: StoredDefinition): Server {
    const log = this.#log.child({ server: id })
    const server = new Server({
      ...this.#deps,
      location: this.#getLocation(id),
      unsupportedFeatures: (plan) => this.#deps.isolation.unsupportedFeatures(plan),
      portConflicts: (address) => this.#portConflicts(id, address),
      stored,
      store: this.#store,
      console: new Console({ dir: join(this.#deps.dataDir, 'console', id), log }),
      state: this.#getStateFile(id),
      statsHistory: new StatsHistory(join(this.#deps.dataDir, 'stats', `${id}.stats`), (cause) =>
        log.error({ err: cause }, 'failed to store statistics'),
      ),
      playerSessions: new PlayerSessions({ dir: join(this.#deps.dataDir, 'players'), id, log }),
      livenessReports: new LivenessReports(join(this.#deps.dataDir, 'liveness', id)),
      log,
    })
    this.#servers.set(id, server)
    for (const listener of this.#addedListeners) listener(server)
    server.onStatus(() => this.#notify())
    this.#notify()
    return server
  }

  /** Failing to list ports must not prevent a start. */
  async #portConflicts(id: string, address: ListenAddress): Promise<readonly string[]> {
    if (address.port === 0) return []
    const running = this.servers.filter((server) => server.id !== id && server.status.running)
    const runningServers = running.map((server) => ({ id: server.id, ...server.address }))
    const inUse = await portsInUse().catch((err: unknown) => {
      this.#log.warn({ err, server: id }, 'failed to list the ports in use')
    })
    return inUse ? portConflicts(address, inUse, runningServers) : []
  }

  /**
   * Kills the process of a step list that was interrupted by a restart of the daemon. Waits at most for the kill
   * timeout; never rejects.
   */
  async #endStep(run: Run): Promise<void> {
    await this.#end(run)
    const server = this.find(run.key.split('/')[0] ?? '')
    if (server) await this.#restoreOwner(server)
  }

  /** The script of an interrupted step may have left files of another user. */
  async #restoreOwner(server: Server): Promise<void> {
    try {
      await using files = await server.openFiles()
      await files.restoreOwner()
    } catch (err) {
      this.#log.error({ err, server: server.id }, 'failed to restore the owner of files after an interrupted step')
    }
  }

  async #end(run: Run): Promise<void> {
    const ending = this.#kill(run).catch((cause: unknown) => {
      this.#log.warn({ err: cause, key: run.key }, 'failed to kill the process of an interrupted step')
    })
    if (!(await endsWithin(ending, this.#deps.killWithinMs ?? killTimeoutMs)))
      this.#log.warn({ key: run.key }, 'the process of an interrupted step did not exit after a kill')
  }

  async #kill(run: Run): Promise<void> {
    run.follow(0, () => {})
    await run.kill()
    await run.exited
    run.release()
  }

  #logOrphanProcesses(runs: readonly Run[]): void {
    for (const run of runs) {
      const id = run.key.split('/')[0] ?? ''
      if (!this.#servers.has(id)) {
        this.#log.warn({ key: run.key, pid: run.process.pid }, 'orphan process: its server has no definition')
      }
    }
  }

  #getLocation(id: string) {
    const { user, isolation, sharedStore } = this.#deps
    const owner = isolation.getOwner(id)
    // Runtimes installed for this server take precedence over the system's programs.
    const path = `${sharedStore.runtimes.getFolder(id)}:${this.#deps.path}`
    return { id, rootDir: this.#store.getFolder(id), path, user: owner ? `server-${id}` : user, owner }
  }
}

function isContained(stored: StoredDefinition): boolean {
  return stored.status === 'valid' && findEnvironmentType(getEnvironment(stored.definition)) === 'docker'
}
