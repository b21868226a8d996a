import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Definition, environmentOf, environmentTypeOf } from '@innkeeper/contract/definition'
import { invalidCondition } from '@innkeeper/contract/definition-conditions'
import { validateDefinition } from '@innkeeper/contract/definition-problems'
import { limits } from '@innkeeper/contract/limits'
import type { ListenAddress } from '@innkeeper/contract/listen-address'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import { Console } from '../console/console.ts'
import { RootFs } from '../files/root.ts'
import type { Isolation } from '../isolation/isolation.ts'
import { type StateFile, stateFiles } from '../lifecycle/state-file.ts'
import { portsInUse } from '../network/ports-in-use.ts'
import type { Run } from '../processes/run.ts'
import { StatsHistory } from '../statistics/history.ts'
import { isStepProcess } from './actions.ts'
import { type DefinitionStore, definitionStore, type Stored } from './definitions.ts'
import { templateVariables } from './launch.ts'
import { portConflicts } from './port-holders.ts'
import { checkRequirements, findMissingPrograms } from './requirements.ts'
import { Server, type ServerDeps } from './server.ts'
import { StartThrottle } from './start-throttle.ts'
import { assertTasksWithinLimits, assignTaskOwners } from './task-owners.ts'

/** So many servers are started at the same time when the node starts. */
const startsAtOnce = 4

interface Deps
  extends Pick<ServerDeps, 'environmentFor' | 'fetch' | 'supplies' | 'curseforgeKey' | 'patterns' | 'sampler' | 'log'> {
  readonly isolation: Pick<Isolation, 'ownerOf' | 'forget' | 'unsupportedFeatures'>
  readonly dataDir: string
  readonly path: string
  readonly user: string
  /** The processes that live already. */
  readonly runs: readonly Run[]
  /** Those in containers; `undefined` while no engine answers. */
  readonly containers: readonly Run[] | undefined
  /** Asks whether there is an engine to run containers. */
  readonly isDockerAvailable: () => Promise<boolean>
  /** How long the end of an interrupted step is waited for. */
  readonly killWithinMs?: number
}

/** The servers of this node. */
export class Registry {
  readonly #deps: Deps
  readonly #store: DefinitionStore
  readonly #servers = new Map<string, Server>()
  readonly #stateOf: (id: string) => StateFile
  /** Servers in containers of which nobody knows whether they run: their engine has not answered yet. */
  readonly #unknownState = new Set<Server>()
  /** Ids that are being taken at the moment. */
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
    this.#stateOf = stateFiles(join(deps.dataDir, 'state'))
    this.#log = deps.log
  }

  /** Reads every definition and takes up the processes that run already. */
  static async open(deps: Deps): Promise<Registry> {
    const store = await definitionStore(join(deps.dataDir, 'servers'))
    const registry = new Registry(deps, store)
    await Promise.all((await store.ids()).map((id) => registry.#load(id)))
    registry.#logOrphanProcesses([...deps.runs, ...(deps.containers ?? [])])
    registry.#tempFileCleanup = registry.#removeStaleTempFiles()
    return registry
  }

  /** Takes up the containers of an engine that began to answer; with it, what starts with the node. */
  reattach(runs: readonly Run[]): void {
    for (const run of runs) if (isStepProcess(run)) void this.#end(run)
    for (const server of [...this.#servers.values()]) {
      const run = runs.find(({ key }) => key === `${server.id}/main`)
      const wasStateUnknown = this.#unknownState.delete(server)
      if (!run && !wasStateUnknown) continue
      server.setStateUnknown(false)
      // Somebody was faster: what it does now will meet the container and say so.
      if (server.status.state !== 'offline') continue
      server.resume(run)
      if (wasStateUnknown && server.startsWithNode && server.status.state === 'offline')
        void this.#startWithNode(server)
    }
    this.#logOrphanProcesses(runs)
  }

  get servers(): readonly Server[] {
    return [...this.#servers.values()]
  }

  /** Tells of every server that is added. */
  onAdded(listener: (server: Server) => void): void {
    this.#addedListeners.add(listener)
  }

  /** Tells when any server changes its state, comes or goes, until the answer is called. */
  onChange(listener: () => void): () => void {
    this.#watchers.add(listener)
    return () => this.#watchers.delete(listener)
  }

  find(id: string): Server | undefined {
    return this.#servers.get(id)
  }

  /** Which entries of `requirements.binaries` a new server would not find on this machine. */
  missingPrograms(entries: readonly string[]): Promise<string[]> {
    return findMissingPrograms(entries, this.#deps.path)
  }

  get(id: string): Server {
    const server = this.find(id)
    if (!server) throw new Refusal('ErrServerNotFound')
    return server
  }

  async create(id: string, definition: Definition): Promise<Server> {
    const error = validateDefinition(definition) ?? invalidCondition(definition)
    if (error) throw error
    assertTasksWithinLimits(definition.tasks, undefined)
    if (this.#servers.has(id) || this.#creating.has(id)) throw new Refusal('ErrServerAlreadyExists')
    this.#creating.add(id)
    try {
      // A file that came meanwhile, without a reload of the node, is somebody's server.
      if (await this.#store.read(id)) throw new Refusal('ErrServerAlreadyExists')
      return await this.#createFresh(id, definition)
    } finally {
      this.#creating.delete(id)
    }
  }

  /** Creates a server whose id is free; leaves nothing when that fails. */
  async #createFresh(id: string, definition: Definition): Promise<Server> {
    const location = this.#locationOf(id)
    try {
      await checkRequirements(definition.requirements ?? undefined, {
        environment: environmentOf(definition),
        values: templateVariables(definition, location),
        path: location.path,
        isDockerAvailable: this.#deps.isDockerAvailable,
      })
      await using _ = await RootFs.open(location.rootDir, { create: true, owner: location.owner })
      // Who made a template answers for nothing on our servers.
      const tasks = assignTaskOwners(definition.tasks, undefined, undefined)
      const stored = await this.#store.write(id, { ...definition, ...(tasks && { tasks }) })
      const server = this.#add(id, stored)
      server.console.say('Server allocated')
      return server
    } catch (cause) {
      await this.#undoCreate(id, location.rootDir).catch((err: unknown) => {
        this.#log.error({ err, server: id }, 'what was left of a server that could not be created stays')
      })
      throw cause
    }
  }

  async #undoCreate(id: string, folder: string): Promise<void> {
    this.#servers.delete(id)
    await this.#store.remove(id)
    await RootFs.removeIfEmpty(folder)
    this.#deps.isolation.forget(id)
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

  /** Starts the servers that start with the node, a few at a time and no faster than the machine can bear. */
  async autostart(): Promise<void> {
    const waiting = this.servers.filter(
      (server) => server.startsWithNode && server.status.state === 'offline' && !this.#unknownState.has(server),
    )
    let isFirst = true
    const startNext = async (): Promise<void> => {
      for (let server = waiting.shift(); server; server = waiting.shift()) {
        if (!isFirst) await this.#startThrottle.acquire()
        isFirst = false
        if (this.#isClosed) return
        await this.#startWithNode(server)
      }
    }
    await Promise.all(Array.from({ length: startsAtOnce }, startNext))
  }

  /** Stops every server and waits for their ends. */
  async stopAll(signal?: AbortSignal): Promise<void> {
    const running = this.servers.filter((server) => server.status.state !== 'offline')
    await abortable(Promise.all(running.map((server) => this.#stop(server))), signal)
  }

  /** Never rejects: what keeps one server from its stop must not keep the others from theirs. */
  async #stop(server: Server): Promise<void> {
    try {
      const isKilled = server.status.installing || !server.canBeStopped
      await server.power(isKilled ? 'kill' : 'stop').ended
    } catch (cause) {
      this.#log.warn({ err: cause, server: server.id }, 'a server could not be stopped')
    }
  }

  /** Lets go of every server without touching its process. */
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
      this.#log.warn({ err: cause, server: server.id }, 'a server did not start with the node')
    }
  }

  async #load(id: string): Promise<void> {
    const stored = await this.#store.read(id)
    if (!stored) return
    const { runs, containers } = this.#deps
    const own = [...runs, ...(containers ?? [])].filter((run) => run.key.startsWith(`${id}/`))
    await Promise.all(own.filter(isStepProcess).map((run) => this.#end(run)))
    const server = this.#add(id, stored)
    const run = own.find(({ key }) => key === `${id}/main`)
    if (run || containers || !isContained(stored)) {
      server.resume(run)
      return
    }
    this.#unknownState.add(server)
    server.setStateUnknown(true)
    server.console.say('The Docker Engine does not answer: whether this server runs is not known until it does')
  }

  /** One server after the other: it is work for the disk, and nobody waits for it. */
  async #removeStaleTempFiles(): Promise<void> {
    for (const server of this.servers) await server.removeStaleTempFiles(this.#closing.signal)
  }

  #add(id: string, stored: Stored): Server {
    const log = this.#log.child({ server: id })
    const server = new Server({
      ...this.#deps,
      location: this.#locationOf(id),
      unsupportedFeatures: (plan) => this.#deps.isolation.unsupportedFeatures(plan),
      portConflicts: (wanted) => this.#portConflicts(id, wanted),
      stored,
      store: this.#store,
      console: new Console({ dir: join(this.#deps.dataDir, 'console', id), log }),
      state: this.#stateOf(id),
      statsHistory: new StatsHistory(join(this.#deps.dataDir, 'stats', `${id}.stats`), (cause) =>
        log.error({ err: cause }, 'statistics cannot be kept'),
      ),
      log,
    })
    this.#servers.set(id, server)
    for (const listener of this.#addedListeners) listener(server)
    server.onStatus(() => this.#notify())
    this.#notify()
    return server
  }

  /** That nobody knows what is in use keeps no server from its start. */
  async #portConflicts(id: string, wanted: ListenAddress): Promise<readonly string[]> {
    if (wanted.port === 0) return []
    const running = this.servers.filter((server) => server.id !== id && server.status.running)
    try {
      const runningServers = running.map((server) => ({ id: server.id, ...server.address }))
      return portConflicts(wanted, await portsInUse(), runningServers)
    } catch (cause) {
      this.#log.warn({ err: cause, server: id }, 'which ports are in use is not known')
      return []
    }
  }

  /** Ends the process of a step list that nobody attends any more. Waits no longer than a kill should take; never rejects. */
  async #end(run: Run): Promise<void> {
    const late = new AbortController()
    const ending = this.#kill(run).catch((cause: unknown) => {
      this.#log.warn({ err: cause, key: run.key }, 'the process of a step that was interrupted cannot be ended')
    })
    const isLate = pause(this.#deps.killWithinMs ?? limits.killWithinMs, true, { signal: late.signal }).catch(
      () => false,
    )
    if (await Promise.race([ending, isLate]))
      this.#log.warn({ key: run.key }, 'the process of a step that was interrupted does not end')
    late.abort()
  }

  async #kill(run: Run): Promise<void> {
    run.follow(0, () => {})
    await run.kill()
    await run.exited
    run.forget()
  }

  #logOrphanProcesses(runs: readonly Run[]): void {
    for (const run of runs) {
      const id = run.key.split('/')[0] ?? ''
      if (!this.#servers.has(id)) {
        this.#log.warn({ key: run.key, pid: run.process.pid }, 'a process runs whose server has no definition')
      }
    }
  }

  #locationOf(id: string) {
    const { user, isolation, supplies } = this.#deps
    const owner = isolation.ownerOf(id)
    // What was fetched for this server comes before what the machine has.
    const path = `${supplies.shelf.folderOf(id)}:${this.#deps.path}`
    return { id, rootDir: this.#store.folderOf(id), path, user: owner ? `server-${id}` : user, owner }
  }
}

function isContained(stored: Stored): boolean {
  return stored.status === 'valid' && environmentTypeOf(environmentOf(stored.definition)) === 'docker'
}

async function abortable(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return
  const { promise: aborted, resolve } = Promise.withResolvers<void>()
  signal?.addEventListener('abort', () => resolve(), { once: true })
  await Promise.race([work, aborted])
}
