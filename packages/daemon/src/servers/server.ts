import { availableParallelism, totalmem } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { formatCommandRecord, maskSecrets } from '@innkeeper/contract/console-commands'
import { environmentOf, environmentTypeOf, groupsOf, type ServerDefinition } from '@innkeeper/contract/definition'
import { invalidCondition } from '@innkeeper/contract/definition-conditions'
import { validateDefinition } from '@innkeeper/contract/definition-problems'
import { type ListenAddress, tryParseListenAddress } from '@innkeeper/contract/listen-address'
import { untilUnlocked, withLock } from '@innkeeper/contract/mutex'
import type { Step } from '@innkeeper/contract/operations'
import { scopeOfPermission } from '@innkeeper/contract/permissions'
import { portsOf } from '@innkeeper/contract/port-variables'
import { type QueryType, queryTypeOf } from '@innkeeper/contract/query'
import { Refusal } from '@innkeeper/contract/refusals'
import type { ServerData } from '@innkeeper/contract/server-definition'
import type { ServerUsage } from '@innkeeper/contract/servers'
import type { ServerStats, ServerStatus } from '@innkeeper/contract/status'
import { validateUse } from '@innkeeper/contract/value-uses'
import { isUserEditable, textOf, type VariableValues, validateVariable } from '@innkeeper/contract/variables'
import type { Logger } from 'pino'
import type { Console } from '../console/console.ts'
import { DiskLimit } from '../files/disk-limit.ts'
import { RootFs } from '../files/root.ts'
import type { PowerAction } from '../lifecycle/rules.ts'
import type { StateFile } from '../lifecycle/state-file.ts'
import { type LifecycleCounts, Supervisor } from '../lifecycle/supervisor.ts'
import type { Run, UsageMonitor } from '../processes/run.ts'
import type { StatsHistory } from '../statistics/history.ts'
import type { Sampler } from '../statistics/sampler.ts'
import type { Trash } from '../trash/trash.ts'
import type { DiscardContext, TrashSink } from '../trash/trash-sink.ts'
import { ServerActions } from './actions/actions.ts'
import type { CopyOptions } from './actions/start-copy.ts'
import type { TaskContext } from './actions/step-runner.ts'
import type { DefinitionStore, Stored } from './definitions.ts'
import type { ServerLocation } from './launch.ts'
import { assertTasksWithinLimits, assignTaskOwners } from './task-owners.ts'
import { SharedTerminalSize } from './terminal-size.ts'

type ActionDeps = ConstructorParameters<typeof ServerActions>[0]

export interface ServerDeps {
  readonly location: ServerLocation
  readonly stored: Stored
  readonly store: DefinitionStore
  readonly console: Console
  readonly state: StateFile
  readonly environmentFor: ActionDeps['environmentFor']
  readonly fetch: ActionDeps['fetch']
  readonly sharedStore: ActionDeps['sharedStore']
  readonly curseforgeKey?: ActionDeps['curseforgeKey']
  readonly unsupportedFeatures: ActionDeps['unsupportedFeatures']
  readonly portConflicts: ActionDeps['portConflicts']
  readonly patterns: ActionDeps['patterns']
  readonly sampler: Sampler
  readonly statsHistory: StatsHistory
  readonly trash: Pick<Trash, 'sink' | 'removeAll' | 'options'>
  readonly log: Logger
}

/** Memory and CPU of this host. Reading them for each of 1,000 servers would take 30 ms for each report and scrape. */
const host = { memory: totalmem(), cpu: availableParallelism() * 100 }

/** Which variables a user may see: all, or only those marked as user-editable. */
export type VariableVisibility = 'all' | 'userEditable'

/** One server of this node: its definition, lifecycle and console. */
export class Server {
  readonly id: string
  readonly console: Console
  readonly terminalSize = new SharedTerminalSize((size) => this.#supervisor.run?.resize(size.cols, size.rows))
  readonly diskLimit = new DiskLimit(() => this.#limits?.disk && this.#limits.disk * 1024 ** 2)
  readonly #deps: ServerDeps
  readonly #supervisor: Supervisor
  readonly #actions: ServerActions
  readonly #removedListeners = new Set<() => void>()
  readonly #definitionListeners = new Set<() => void>()
  #stored: Stored
  #usageMonitor: UsageMonitor | undefined
  /** The process whose terminal has the current size. */
  #sizedRun: Run | undefined
  /** Why it cannot be started or installed: a restore is replacing its files. */
  #startsHeldFor: string | undefined
  /** Why it cannot be started or installed until its files were restored. */
  #startRefusal: Refusal | undefined
  #isBeingRemoved = false
  /** The removal in progress. */
  #removing: Promise<void> | undefined
  #isUninstalled = false

  constructor(deps: ServerDeps) {
    this.id = deps.location.id
    this.console = deps.console
    this.#deps = deps
    this.#stored = deps.stored
    this.#actions = new ServerActions({
      ...deps,
      definition: () => this.#validDefinition().definition,
      send: (line) => this.send(line),
      terminalSize: () => this.terminalSize.current,
      setVariable: (name, value) => this.#setVariable(name, value),
      trashSink: (context) => this.trashSink(context),
      budget: this.diskLimit,
    })
    this.#supervisor = new Supervisor({
      actions: this.#actions,
      console: deps.console,
      file: deps.state,
      log: deps.log,
    })
    this.#supervisor.onStatus(({ running }) => {
      this.#updateUsageMonitor(running)
      this.#sizeTerminal()
    })
    if (deps.stored.status === 'damaged') this.#reportDamage(deps.stored.reason)
  }

  get status(): ServerStatus {
    const { lowSpace } = this.diskLimit
    return {
      ...this.#supervisor.status,
      ...(this.hasTerminal && { hasTerminal: true }),
      ...(lowSpace && { lowDiskSpace: lowSpace }),
    }
  }

  /** Whether it runs in a pseudo-terminal instead of on pipes. */
  get hasTerminal(): boolean {
    return this.#stored.status === 'valid' && environmentTypeOf(environmentOf(this.#stored.definition)) !== 'standard'
  }

  /** Throws ErrServerOffline while the server does not run. */
  get stats(): ServerStats {
    this.#validDefinition()
    if (!this.#supervisor.run) throw new Refusal('ErrServerOffline')
    return this.#usageMonitor?.latest() ?? { cpu: 0, memory: 0 }
  }

  /** Status and resource usage for lists; zero while the server does not run. */
  get usage(): ServerUsage & Required<Omit<ServerUsage, 'seenAt' | 'isOld' | 'disk'>> {
    const runs = this.#stored.status === 'valid' && this.#supervisor.run !== undefined
    const stats = runs ? this.stats : { cpu: 0, memory: 0 }
    const { space } = this.diskLimit
    return {
      id: this.id,
      status: this.status,
      stats,
      memoryMax: this.#memoryMax,
      cpuMax: this.#cpuMax,
      ...(space && { disk: space }),
    }
  }

  /** Starts and crashes since the daemon started. */
  get counts(): LifecycleCounts {
    return this.#supervisor.counts
  }

  /** Memory limit in bytes, or the host's memory. */
  get #memoryMax(): number {
    return Math.min((this.#limits?.memory ?? Number.POSITIVE_INFINITY) * 1024 ** 2, host.memory)
  }

  /** CPU limit in percent of one core, or the host's capacity. */
  get #cpuMax(): number {
    return Math.min(this.#limits?.cpu ?? Number.POSITIVE_INFINITY, host.cpu)
  }

  get #limits() {
    return this.#stored.status === 'valid' ? environmentOf(this.#stored.definition).limits : undefined
  }

  /** Past resource usage, across restarts of the server and of the node. */
  get statsHistory(): Pick<StatsHistory, 'series'> {
    return this.#deps.statsHistory
  }

  /** Whether the server starts with the node. */
  get startsWithNode(): boolean {
    if (this.#stored.status === 'damaged') return false
    const { autostart, disabled } = this.#stored.definition.run
    return autostart === true && disabled !== true
  }

  /** Whether it has a stop command or signal. A server with a damaged definition can only be killed. */
  get canBeStopped(): boolean {
    return this.#stored.status === 'valid'
  }

  /** The system user that owns its files, if it is not the daemon's. */
  get owner(): ServerLocation['owner'] {
    return this.#deps.location.owner
  }

  /** The listen address in its definition. */
  get address(): ListenAddress {
    return tryParseListenAddress(this.#stored.status === 'valid' ? this.#stored.definition.data : {})
  }

  /** The ports in its variables. */
  get ports(): { readonly address: string; readonly port: number }[] {
    if (this.#stored.status !== 'valid') return []
    return portsOf(this.#stored.definition.data).map((port) => ({ address: this.address.ip, port }))
  }

  /** How its game is asked for players, if its definition says so. */
  get queryType(): QueryType | undefined {
    return this.#stored.status === 'valid' ? queryTypeOf(this.#stored.definition) : undefined
  }

  /** The definition with its version. */
  get definition(): { definition: ServerDefinition; version: string } {
    const { definition, version } = this.#validDefinition()
    return { definition: { ...definition, id: this.id }, version }
  }

  /** Restores the state that an earlier daemon saved, and reattaches to the process if it still runs. */
  resume(run: Run | undefined): void {
    this.#supervisor.resume(run)
  }

  /** Sets whether the state is unknown because the runtime of the server (Docker Engine or keeper) does not respond. */
  setStateUnknown(isInDoubt: boolean): void {
    this.#supervisor.setStateUnknown(isInDoubt)
  }

  /** Requests a power action. `ended` settles when the action has completed or failed. */
  power(action: PowerAction): { ended: Promise<void> } {
    if (this.#isBeingRemoved) throw new Refusal('ErrServerNotFound')
    if (action !== 'stop' && action !== 'kill') {
      if (this.#startsHeldFor !== undefined) throw new Refusal('ErrServerBusy', { state: this.#startsHeldFor })
      if (this.#startRefusal) throw this.#startRefusal
    }
    // A running process can be killed even if the definition is damaged.
    if (action !== 'kill' || this.status.state === 'offline') {
      const { run } = this.#validDefinition().definition
      if (run.disabled && action !== 'stop' && action !== 'kill') throw new Refusal('ErrServerDisabled')
    }
    return this.#supervisor.request(action)
  }

  /** Refuses starts and installs with ErrServerBusy until the returned function is called. */
  holdStarts(state: string): () => void {
    if (this.#startsHeldFor !== undefined) throw new Refusal('ErrServerBusy', { state: this.#startsHeldFor })
    this.#startsHeldFor = state
    return () => {
      this.#startsHeldFor = undefined
    }
  }

  /** Refuses starts and installs for this reason; undefined allows them again. */
  refuseStarts(reason: Refusal | undefined): void {
    this.#startRefusal = reason
  }

  /** Makes its processes stand still until `thaw`. Returns whether they do. */
  async freeze(): Promise<boolean> {
    return (await this.#supervisor.run?.freeze?.()) ?? false
  }

  async thaw(): Promise<void> {
    await this.#supervisor.run?.thaw?.()
  }

  /**
   * Writes a line to the server's stdin. With an `author`, the console records the command and its author, without
   * secrets.
   */
  send(command: string, author?: string): void {
    const { data } = this.#validDefinition().definition
    const run = this.#requireRun()
    const line = command.replace(/\r?\n$/, '')
    if (author !== undefined) this.#deps.console.say(formatCommandRecord(author, maskSecrets(line, data)))
    run.write(`${line}\n`)
  }

  /**
   * Writes keystrokes to the server's terminal. With an `author`, the console records who types. Throws ErrNoTerminal
   * for a server on pipes: commands for those are recorded one by one, see `send`.
   */
  type(data: string, author?: string): void {
    if (!this.hasTerminal) throw new Refusal('ErrNoTerminal')
    const run = this.#requireRun()
    if (author !== undefined) this.#deps.console.say(`${author} types in the terminal`)
    run.write(data)
  }

  /** Replaces the definition, except for the id. The user `by` becomes the owner of the tasks that change. */
  async define(definition: ServerDefinition, by: number | undefined, ifMatch?: string): Promise<string> {
    const error = validateDefinition(definition) ?? invalidCondition(definition)
    if (error) throw error
    return await this.#change(async () => {
      const before = this.#validDefinition().definition.tasks
      assertTasksWithinLimits(definition.tasks, before)
      const tasks = assignTaskOwners(definition.tasks, before, by)
      return await this.#deps.store.write(this.id, { ...definition, ...(tasks && { tasks }) }, ifMatch)
    })
  }

  /** The tasks in the definition. */
  get tasks(): Readonly<Record<string, unknown>> {
    return this.#validDefinition().definition.tasks ?? {}
  }

  /** Changes only the tasks of the definition. Changes nothing when `change` throws. */
  async changeTasks(
    change: (tasks: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.#change(async () => {
      const stored = await this.#readStored()
      const before = stored.definition.tasks ?? {}
      const tasks = change(before)
      assertTasksWithinLimits(tasks, before)
      return await this.#deps.store.write(this.id, { ...stored.raw, tasks }, stored.version)
    })
  }

  /** Runs the steps of a task, concurrently with the lifecycle. */
  async runTask(steps: readonly Step[], context: TaskContext): Promise<void> {
    if (this.#isBeingRemoved) throw new Refusal('ErrServerNotFound')
    await this.#actions.task(steps, context)
  }

  /** Starts a copy of the server from other files, see `startCopy`. */
  async startCopy(options: CopyOptions): Promise<Run> {
    if (this.#isBeingRemoved) throw new Refusal('ErrServerNotFound')
    return await this.#actions.startCopy(options)
  }

  /** The visible variables and their groups. */
  data(visibility: VariableVisibility): ServerData {
    const { definition } = this.#validDefinition()
    const all = Object.entries(definition.data)
    const data = Object.fromEntries(visibility === 'all' ? all : all.filter(([, variable]) => isUserEditable(variable)))
    const groups = groupsOf(definition).map((group) => ({
      ...group,
      variables: group.variables.filter((name) => Object.hasOwn(data, name)),
    }))
    return { data, groups: groups.filter(({ variables }) => variables.length > 0) }
  }

  /** Sets the given values, all or none. Returns the new version of the definition. */
  async setData(values: VariableValues, visibility: VariableVisibility, ifMatch?: string): Promise<string> {
    return await this.#change(async () => {
      const stored = await this.#readStored()
      // `data` returns the loaded definition, which may be older than a file that was edited by hand.
      if (ifMatch !== undefined && ifMatch !== this.#validDefinition().version) throw new Refusal('ErrStaleVersion')
      const data: Record<string, unknown> = { ...(stored.raw.data as Record<string, unknown> | null | undefined) }
      for (const [name, { value }] of Object.entries(values)) {
        if (value === undefined) continue
        const variable = Object.hasOwn(stored.definition.data, name) ? stored.definition.data[name] : undefined
        const mayChange = visibility === 'all' || (variable !== undefined && isUserEditable(variable))
        if (!mayChange) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission.admin, field: name })
        const isSame = variable !== undefined && textOf(variable.value) === textOf(value)
        const error =
          validateVariable(name, variable ?? {}, value) ??
          (isSame ? undefined : validateUse(stored.definition, name, variable ?? {}, value))
        if (error) throw error
        data[name] = { ...(data[name] as Record<string, unknown> | undefined), value }
      }
      return await this.#deps.store.write(this.id, { ...stored.raw, data }, stored.version)
    })
  }

  /**
   * Sets a variable from a step. A missing variable is created as internal: only users who may see the definition see
   * it.
   */
  async #setVariable(name: string, value: string): Promise<void> {
    await this.#change(async () => {
      const stored = await this.#readStored()
      const data = { ...(stored.raw.data as Record<string, unknown> | null | undefined) }
      const before = Object.hasOwn(stored.definition.data, name) ? stored.definition.data[name] : undefined
      if (before && textOf(before.value) === value) return stored
      data[name] = { ...(before ? (data[name] as object) : { type: 'string', internal: true }), value }
      return await this.#deps.store.write(this.id, { ...stored.raw, data }, stored.version)
    })
  }

  /**
   * Reads the definition from disk again, also when it was damaged. The user `by` becomes the owner of changed tasks.
   */
  async reload(by: number | undefined): Promise<void> {
    await this.#change(async () => {
      const stored = await this.#deps.store.read(this.id)
      if (stored?.status === 'valid') {
        const before = this.#stored.status === 'valid' ? this.#stored.definition.tasks : undefined
        const tasks = assignTaskOwners(stored.definition.tasks, before, by)
        if (isDeepStrictEqual(tasks, stored.definition.tasks)) return stored
        return await this.#deps.store.write(this.id, { ...stored.raw, tasks }, stored.version)
      }
      const reason = stored?.reason ?? 'the file does not exist'
      this.#stored = { status: 'damaged', reason }
      this.#reportDamage(reason)
      for (const read of this.#definitionListeners) read()
      throw new Refusal('ErrServerDamaged', { reason })
    })
  }

  /** Whether it is being removed: its files must not be used any more. */
  get isBeingRemoved(): boolean {
    return this.#isBeingRemoved
  }

  /**
   * Opens the server's files. The caller must close them. What is deleted or replaced is lost, unless there is a sink
   * for it.
   */
  async openFiles(discarded?: TrashSink): Promise<RootFs> {
    if (this.#isBeingRemoved) throw new Refusal('ErrServerNotFound')
    const { rootDir, owner } = this.#deps.location
    return await RootFs.open(rootDir, { create: true, owner, discarded, budget: this.diskLimit })
  }

  /** Receives what an operation deletes or replaces, in the trash. */
  trashSink(context: DiscardContext): TrashSink {
    return this.#deps.trash.sink(this.id, context)
  }

  /** Opens the files for a session of SFTP, which keeps what it deletes in the trash if the node is configured so. */
  async openFilesForSftp(author: string): Promise<RootFs> {
    return await this.openFiles(this.trashSink({ author, isKept: this.#deps.trash.options.sftp }))
  }

  /** Removes temporary files that an earlier daemon left. */
  async removeStaleTempFiles(signal: AbortSignal): Promise<void> {
    if (this.#isBeingRemoved) return
    await using files = await this.openFiles()
    const removed = await files.removeLeftovers({ signal })
    if (removed > 0) this.#deps.log.info({ removed }, 'removed temporary files of an earlier run')
  }

  /** Calls the listener on every status change. Returns the unsubscribe function. */
  onStatus(listener: (status: ServerStatus) => void): () => void {
    const unsubscribe = [this.#supervisor.onStatus(listener), this.diskLimit.onNearlyFull(() => listener(this.status))]
    return () => {
      for (const end of unsubscribe) end()
    }
  }

  /** Calls the listener when the definition changes or becomes unusable. Returns the unsubscribe function. */
  onDefinition(read: () => void): () => void {
    this.#definitionListeners.add(read)
    return () => this.#definitionListeners.delete(read)
  }

  /** Calls the listener when the server is removed. Returns the unsubscribe function. */
  onRemoved(unsubscribe: () => void): () => void {
    this.#removedListeners.add(unsubscribe)
    return () => this.#removedListeners.delete(unsubscribe)
  }

  /**
   * Kills the server, runs the uninstall steps and removes all of its data, the definition last. After a failure, the
   * next call continues where it failed. Concurrent calls share one removal.
   */
  async remove(): Promise<void> {
    this.#isBeingRemoved = true
    this.#removing ??= this.#removeAll().finally(() => {
      this.#removing = undefined
      // Nothing was removed yet: the server remains usable.
      if (!this.#isUninstalled) this.#isBeingRemoved = false
    })
    await this.#removing
  }

  /** Every part is idempotent. */
  async #removeAll(): Promise<void> {
    if (!this.#isUninstalled) await this.#uninstall()
    const { store, state, statsHistory, sharedStore, location } = this.#deps
    await this.close()
    await this.console.remove()
    state.remove()
    await statsHistory.remove()
    await sharedStore.runtimes.forget(this.id)
    await untilUnlocked(this)
    await RootFs.remove(location.rootDir)
    await this.#deps.trash.removeAll(this.id)
    await store.remove(this.id)
    for (const unsubscribe of this.#removedListeners) unsubscribe()
  }

  async #uninstall(): Promise<void> {
    await this.#supervisor.request('kill').ended
    if (this.#stored.status === 'valid') {
      await this.#actions.uninstall(new AbortController().signal).catch((cause: unknown) => {
        // A failing uninstall step must not prevent the removal.
        this.#deps.log.warn({ err: cause }, 'uninstall steps failed')
        this.console.say('Failed to uninstall server')
      })
    }
    this.#isUninstalled = true
  }

  /** Detaches from the server without stopping it. */
  async close(): Promise<void> {
    await this.#supervisor.close()
    this.#usageMonitor?.stop()
    this.#usageMonitor = undefined
    this.terminalSize.close()
    await this.#deps.statsHistory.close()
    await this.console.close()
  }

  #validDefinition(): Extract<Stored, { status: 'valid' }> {
    if (this.#stored.status === 'damaged') throw new Refusal('ErrServerDamaged', { reason: this.#stored.reason })
    return this.#stored
  }

  /** Reads the definition from disk, so that a change made by hand is not overwritten. */
  async #readStored(): Promise<Extract<Stored, { status: 'valid' }>> {
    this.#validDefinition()
    const stored = await this.#deps.store.read(this.id)
    if (stored?.status !== 'valid')
      throw new Refusal('ErrServerDamaged', { reason: stored?.reason ?? 'the file does not exist' })
    return stored
  }

  #requireRun(): Run {
    const { run } = this.#supervisor
    if (!run) throw new Refusal('ErrServerOffline')
    return run
  }

  /** Changes the definition; changes are serialized. */
  async #change(change: () => Promise<Stored>): Promise<string> {
    this.#stored = await withLock([this], change)
    for (const read of this.#definitionListeners) read()
    return this.#validDefinition().version
  }

  #updateUsageMonitor(isRunning: boolean): void {
    const { run } = this.#supervisor
    if (isRunning && run && !this.#usageMonitor) {
      const keep = (stats: ServerStats) => this.#deps.statsHistory.add(stats)
      this.#usageMonitor =
        run.measure?.(keep) ?? this.#deps.sampler.watch(run.key, run.process, keep, () => run.members?.() ?? [])
    } else if (!isRunning) {
      this.#usageMonitor?.stop()
      this.#usageMonitor = undefined
    }
  }

  /** A reattached process still has the size of earlier viewers. */
  #sizeTerminal(): void {
    const { run } = this.#supervisor
    if (run === this.#sizedRun) return
    this.#sizedRun = run
    const { cols, rows } = this.terminalSize.current
    run?.resize(cols, rows)
  }

  #reportDamage(reason: string): void {
    this.console.say(
      `The definition of this server is damaged. The server cannot be used until it is repaired: ${reason}`,
    )
    this.#deps.log.error({ reason }, 'a server definition is damaged')
  }
}
