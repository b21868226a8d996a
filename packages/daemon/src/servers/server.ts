import { keepWhileSuspended, type RequiredPermission } from '@innkeeper/contract/api/permissions'
import { formatCommandRecord, maskSecrets } from '@innkeeper/contract/definitions/console-commands'
import {
  findEnvironmentType,
  getEnvironment,
  getLimits,
  getStopDelayMs,
} from '@innkeeper/contract/definitions/definition'
import { findLiveness, type Liveness } from '@innkeeper/contract/definitions/liveness'
import type { Step } from '@innkeeper/contract/definitions/operations'
import { getPlayerActions, type PlayerActionType } from '@innkeeper/contract/definitions/player-actions'
import { buildPlayerCommand, type PlayerValues } from '@innkeeper/contract/definitions/player-command'
import { getPlayerPatterns } from '@innkeeper/contract/definitions/player-patterns'
import { getPorts } from '@innkeeper/contract/definitions/port-variables'
import { findGameQuery, type GameQuery } from '@innkeeper/contract/definitions/query'
import { findSleep, type SleepSettings } from '@innkeeper/contract/definitions/sleep'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type ListenAddress, tryParseListenAddress } from '@innkeeper/contract/http/listen-address'
import { untilUnlocked } from '@innkeeper/contract/jobs/mutex'
import { hasPermission, type TicketPermissions } from '@innkeeper/contract/node-link/ticket'
import type { UnregisteredServer } from '@innkeeper/contract/nodes/unregistered-servers'
import type { PlayerCounts } from '@innkeeper/contract/servers/players'
import type { ServerUsage } from '@innkeeper/contract/servers/servers'
import type { NotResponding, ServerStats, ServerStatus } from '@innkeeper/contract/servers/status'
import type { Suspension } from '@innkeeper/contract/servers/suspension'
import type { Logger } from 'pino'
import type { Console } from '../console/console.ts'
import { withRollback } from '../errors/cleanup.ts'
import { DeniedFiles } from '../files/path/denied-files.ts'
import { RootFs } from '../files/root.ts'
import { DiskLimit } from '../files/space/disk-limit.ts'
import type { PowerAction } from '../lifecycle/rules.ts'
import type { SavedSleep, StateFile } from '../lifecycle/state-file.ts'
import { type LifecycleCounts, Supervisor } from '../lifecycle/supervisor.ts'
import type { LivenessReports } from '../liveness/liveness-reports.ts'
import { PlayerActivity } from '../players/player-activity.ts'
import type { PlayerSessions } from '../players/sessions/player-sessions.ts'
import type { Run } from '../processes/run.ts'
import type { StatsHistory } from '../statistics/history.ts'
import type { Sampler } from '../statistics/sampler.ts'
import type { Trash } from '../trash/trash.ts'
import type { DiscardContext, TrashSink } from '../trash/trash-sink.ts'
import { ServerActions } from './actions/actions.ts'
import type { CopyOptions } from './actions/start-copy.ts'
import type { TaskContext } from './actions/step-runner.ts'
import type { DefinitionStore, StoredDefinition } from './definitions.ts'
import { ConsoleInput } from './launch/console-input.ts'
import type { ServerLocation } from './launch/launch.ts'
import { LoadedDefinition } from './loaded-definition.ts'
import { maskedConsole } from './masked-console.ts'
import { PendingRestart } from './pending-restart.ts'
import { PlayerWatch } from './player-watch.ts'
import { PromptWatch } from './prompt-watch.ts'
import { ResourceUsage } from './resource-usage.ts'
import { ServerUse } from './server-use.ts'
import type { Suspensions } from './suspensions.ts'
import { SharedTerminalSize } from './terminal-size.ts'

type ActionDeps = ConstructorParameters<typeof ServerActions>[0]

export interface ServerDeps {
  readonly location: ServerLocation
  readonly stored: StoredDefinition
  readonly store: DefinitionStore
  readonly console: Console
  readonly state: StateFile
  readonly environmentFor: ActionDeps['environmentFor']
  readonly scriptEnvironment: ActionDeps['scriptEnvironment']
  readonly fetch: ActionDeps['fetch']
  readonly sharedStore: ActionDeps['sharedStore']
  readonly curseforgeKey?: ActionDeps['curseforgeKey']
  readonly unsupportedFeatures: ActionDeps['unsupportedFeatures']
  readonly portConflicts: ActionDeps['portConflicts']
  readonly patterns: ActionDeps['patterns']
  readonly sampler: Sampler
  readonly statsHistory: StatsHistory
  readonly playerSessions: PlayerSessions
  readonly livenessReports: LivenessReports
  readonly suspensions: Pick<Suspensions, 'find' | 'set'>
  readonly trash: Pick<Trash, 'sink' | 'removeAll' | 'options'>
  readonly log: Logger
}

/** One server of this node: its definition, lifecycle and console. */
export class Server {
  readonly id: string
  readonly console: Console
  readonly definition: LoadedDefinition
  /** While it is online. */
  readonly players = new PlayerActivity()
  readonly pendingRestart = new PendingRestart()
  /** What keeps it awake. */
  readonly use = new ServerUse()
  readonly terminalSize = new SharedTerminalSize((size) => this.#supervisor.run?.resize(size.cols, size.rows))
  readonly diskLimit = new DiskLimit(() => this.#limits?.disk && this.#limits.disk * 1024 ** 2)
  readonly #deps: ServerDeps
  readonly #supervisor: Supervisor
  readonly #actions: ServerActions
  readonly #usage: ResourceUsage
  readonly #prompts: PromptWatch
  readonly #playerWatch: PlayerWatch
  readonly #input = new ConsoleInput((run, text) => this.#actions.write(run, text))
  readonly #removedListeners = new Set<() => void>()
  readonly #suspendedListeners = new Set<() => void>()
  readonly #commandListeners = new Set<(command: string) => void>()
  /** Why its processes are frozen; they go on when no reason is left. */
  readonly #frozenFor = new Set<'work' | 'sleep'>()
  #waker: ((reason: string) => Promise<void>) | undefined
  #powerRequests = 0
  /** When its processes last went on after they were frozen, by `performance.now()`. */
  #thawedAt = Number.NEGATIVE_INFINITY
  /** The process whose terminal has the current size. */
  #sizedRun: Run | undefined
  /** Why it cannot be started or installed: a restore is replacing its files. */
  #startsHeldFor: string | undefined
  /** Why it cannot be started or installed until its files were restored. */
  #startRefusal: Refusal | undefined
  #isBeingRemoved = false
  #isReleased = false
  /** The removal in progress. */
  #removing: Promise<void> | undefined
  #isUninstalled = false

  constructor(deps: ServerDeps) {
    this.id = deps.location.id
    this.console = deps.console
    this.#deps = deps
    this.definition = new LoadedDefinition({
      id: this.id,
      stored: deps.stored,
      store: deps.store,
      lockKey: this,
      onDamage: (reason) => this.#reportDamage(reason),
    })
    this.#usage = new ResourceUsage({
      ...deps,
      limits: () => this.#limits,
      players: () => this.players.counts?.online,
    })
    const console = maskedConsole(deps.console, () => this.definition.ifValid?.data ?? {})
    this.#actions = new ServerActions({
      ...deps,
      console,
      definition: () => this.definition.value,
      input: this.#input,
      send: (line) => this.send(line),
      terminalSize: () => this.terminalSize.current,
      setVariable: (name, value) => this.definition.setVariable(name, value),
      trashSink: (context) => this.trashSink(context),
      budget: this.diskLimit,
      players: this.players,
    })
    this.#supervisor = new Supervisor({
      actions: this.#actions,
      console,
      file: deps.state,
      log: deps.log,
    })
    this.#prompts = new PromptWatch({
      ...deps,
      id: this.id,
      definition: () => this.definition.ifValid,
      asked: () => this.#supervisor.asked,
      setAsked: (asked) => this.#supervisor.setAsked(asked),
    })
    this.#playerWatch = new PlayerWatch({
      ...deps,
      id: this.id,
      sessions: deps.playerSessions,
      definition: () => this.definition.ifValid,
      onLine: () => {
        const counts = this.#countByLines()
        if (counts) this.players.set(counts)
      },
    })
    this.definition.onChange(() => this.#watchPlayers())
    this.#supervisor.onStatus(({ running, state, isInDoubt, sleeping }) => {
      if (state !== 'online') this.players.clear()
      const { run } = this.#supervisor
      if (run) {
        this.#prompts.watch(run.id)
        deps.playerSessions.begin(run.id)
        this.#watchPlayers()
      } else if (!isInDoubt) deps.playerSessions.end()
      if (!running) this.#usage.stop()
      else if (run) this.#usage.start(run)
      if (!running) this.#frozenFor.delete('sleep')
      // Players reach it: it counts as running.
      this.#usage.setSleeping(!running && sleeping !== undefined)
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
      ...(this.pendingRestart.at && { restartAt: this.pendingRestart.at.toISOString() }),
    }
  }

  /** Whether it runs in a pseudo-terminal instead of on pipes. */
  get hasTerminal(): boolean {
    const definition = this.definition.ifValid
    return definition !== undefined && findEnvironmentType(getEnvironment(definition)) !== 'standard'
  }

  /** Throws ErrServerOffline while the server does not run. */
  get stats(): ServerStats {
    this.definition.requireValid()
    this.#requireRun()
    return this.#usage.latest
  }

  /** Status and resource usage for lists; zero while the server does not run. */
  get usage(): ServerUsage & Required<Omit<ServerUsage, 'seenAt' | 'isOld' | 'isSuspended' | 'disk' | 'players'>> {
    const isRunning = this.definition.ifValid !== undefined && this.#supervisor.run !== undefined
    const stats = isRunning ? this.#usage.latest : { cpu: 0, memory: 0 }
    const { space } = this.diskLimit
    return {
      id: this.id,
      status: this.status,
      stats,
      memoryMax: this.#usage.memoryMax,
      cpuMax: this.#usage.cpuMax,
      ...(space && { disk: space }),
      ...(this.players.counts && { players: this.players.counts }),
    }
  }

  /** Starts and crashes since the daemon started. */
  get counts(): LifecycleCounts {
    return this.#supervisor.counts
  }

  get #limits() {
    const definition = this.definition.ifValid
    return definition && getLimits(getEnvironment(definition), definition.data)
  }

  /** Past resource usage, across restarts of the server and of the node. */
  get statsHistory(): Pick<StatsHistory, 'series' | 'uptime'> {
    return this.#deps.statsHistory
  }

  /** Whether the server starts with the node. */
  get startsWithNode(): boolean {
    const { autostart, disabled } = this.definition.ifValid?.run ?? {}
    return autostart === true && disabled !== true && !this.suspension
  }

  /** Whether it has a stop command or signal. A server with a damaged definition can only be killed. */
  get canBeStopped(): boolean {
    return this.definition.ifValid !== undefined
  }

  /** The time that a stop may take. */
  get stopTimeoutMs(): number {
    return this.#actions.stopTimeoutMs()
  }

  /** The system user that owns its files, if it is not the daemon's. */
  get owner(): ServerLocation['owner'] {
    return this.#deps.location.owner
  }

  /** The listen address in its definition. */
  get address(): ListenAddress {
    return tryParseListenAddress(this.definition.ifValid?.data ?? {})
  }

  /** What a panel that does not have it shows of it. */
  get summary(): UnregisteredServer {
    const { display, type } = this.definition.ifValid ?? {}
    const { id, usage } = this
    return { id, running: usage.status.running, ...(display && { display }), ...(type && { type }) }
  }

  /** The ports in its variables. */
  get ports(): { readonly address: string; readonly port: number }[] {
    return getPorts(this.definition.ifValid?.data ?? {}).map((port) => ({ address: this.address.ip, port }))
  }

  /** How its game is asked for its status, if its definition says so. */
  get gameQuery(): GameQuery | undefined {
    const definition = this.definition.ifValid
    return definition && findGameQuery(definition)
  }

  /** Whether lines of its console say who plays. */
  get hasPlayerPatterns(): boolean {
    const definition = this.definition.ifValid
    return definition !== undefined && getPlayerPatterns(definition).length > 0
  }

  /** Sets what its game reports while it is online; undefined when it does not answer. */
  setPlayers(players: PlayerCounts | undefined): void {
    this.players.set(players ?? this.#countByLines())
  }

  /** How it is found out whether it responds, if its definition says so. */
  get liveness(): Liveness | undefined {
    const definition = this.definition.ifValid
    return definition && findLiveness(definition)
  }

  /** Whether it is restarted when it does not respond. */
  get isRestartedWhenNotResponding(): boolean {
    return this.definition.ifValid?.run.restartWhenNotResponding === true
  }

  /** Reports about when it did not respond. */
  get livenessReports(): Omit<LivenessReports, 'remove'> {
    return this.#deps.livenessReports
  }

  /** Sets that the process does not respond, until it ends; undefined when it responds. */
  setNotResponding(run: Pick<Run, 'id'>, notResponding: NotResponding | undefined): void {
    this.#supervisor.setNotResponding(run.id, notResponding)
  }

  /** The liveness checks that its process has passed, by key. */
  get passedChecks(): readonly string[] {
    return this.#supervisor.passedChecks
  }

  /** Sets the checks that the process has passed, also for later daemons. */
  setPassedChecks(run: Pick<Run, 'id'>, checks: readonly string[]): void {
    this.#supervisor.setPassedChecks(run.id, checks)
  }

  /** Its process while it runs. */
  get run(): Run | undefined {
    return this.#supervisor.run
  }

  /** Who plays, and who has. */
  get playerSessions(): Omit<PlayerSessions, 'close' | 'remove'> {
    return this.#deps.playerSessions
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
      const { suspension } = this
      if (suspension) throw new Refusal('ErrServerSuspended', { reason: suspension.reason })
    }
    // A running process can be killed even if the definition is damaged.
    if (action !== 'kill' || this.status.state === 'offline') {
      const { run } = this.definition.value
      if (run.disabled && action !== 'stop' && action !== 'kill') throw new Refusal('ErrServerDisabled')
    }
    this.#powerRequests++
    if (!this.#supervisor.sleep) return this.#supervisor.request(action)
    const ended = this.#wake('a user or a task has requested it').then(() => this.#supervisor.request(action).ended)
    // It may be ignored.
    ended.catch(() => {})
    return { ended }
  }

  /** Missing unless it is suspended. */
  get suspension(): Suspension | undefined {
    return this.#deps.suspensions.find(this.id)
  }

  /** The permissions of a user that apply now: few while it is suspended. The panel itself keeps its own. */
  permissionsNow(permissions: TicketPermissions, userId: number | undefined): TicketPermissions {
    return this.suspension && userId !== undefined ? keepWhileSuspended(permissions) : permissions
  }

  /** Suspends it, or ends its suspension with null. */
  async setSuspension(suspension: Suspension | null): Promise<void> {
    const before = await this.#deps.suspensions.set(this.id, suspension)
    const now = this.suspension
    if (before && !now) this.console.say('Server is not suspended any more')
    if (!now) return
    if (!before) this.console.say('Server is suspended')
    for (const listener of [...this.#suspendedListeners]) listener()
    this.stopWhileSuspended()
  }

  /** Calls the listener when it is suspended. Returns the unsubscribe function. */
  onSuspended(listener: () => void): () => void {
    this.#suspendedListeners.add(listener)
    return () => this.#suspendedListeners.delete(listener)
  }

  /** Stops it if it is suspended: as with Stop, and then by force when it does not stop in its time. */
  stopWhileSuspended(): void {
    if (!this.suspension || (this.status.state === 'offline' && !this.sleep)) return
    this.#stopSuspended().catch((err: unknown) => this.#deps.log.error({ err }, 'failed to stop a suspended server'))
  }

  async #stopSuspended(): Promise<void> {
    const { state, running } = this.status
    // Steps before a start may take long, too.
    const runsSteps = state === 'installing' || (state === 'starting' && !running)
    try {
      await this.power(runsSteps || !this.canBeStopped ? 'kill' : 'stop').ended
    } catch (err) {
      this.#deps.log.warn({ err }, 'a suspended server did not stop, and is killed')
      if (this.suspension) await this.power('kill').ended
    }
  }

  /** How many power actions were requested. */
  get powerRequests(): number {
    return this.#powerRequests
  }

  /** When it falls asleep, if its definition says so. */
  get sleepSettings(): SleepSettings | undefined {
    const definition = this.definition.ifValid
    return definition && findSleep(definition)
  }

  /** That it sleeps; undefined while it is awake. */
  get sleep(): SavedSleep | undefined {
    return this.#supervisor.sleep
  }

  setSleep(sleep: SavedSleep | undefined): void {
    this.#supervisor.setSleep(sleep)
  }

  /** Sets what wakes it before it is used. */
  setWaker(wake: (reason: string) => Promise<void>): void {
    this.#waker = wake
  }

  get canBeFrozen(): boolean {
    return this.#supervisor.run?.freeze !== undefined
  }

  async freezeForSleep(): Promise<boolean> {
    return await this.#freeze('sleep')
  }

  async thawFromSleep(): Promise<void> {
    await this.#thaw('sleep')
  }

  async #wake(reason: string): Promise<void> {
    await this.#waker?.(reason)
  }

  /** Installs the server if it has install steps, then starts it. A failure is on its console. */
  installAndStart(): void {
    const hasInstall = (this.definition.value.install ?? []).length > 0
    const installed = hasInstall ? this.power('install').ended : Promise.resolve()
    installed
      .then(() => this.power('start').ended)
      .catch((cause: unknown) => this.#deps.log.info({ err: cause }, 'a new server was not started'))
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

  /** Freezes its processes until `thaw`. Returns whether they are frozen. */
  async freeze(): Promise<boolean> {
    return await this.#freeze('work')
  }

  async thaw(): Promise<void> {
    await this.#thaw('work')
  }

  async #freeze(reason: 'work' | 'sleep'): Promise<boolean> {
    this.#frozenFor.add(reason)
    return (await this.#supervisor.run?.freeze?.()) ?? false
  }

  async #thaw(reason: 'work' | 'sleep'): Promise<void> {
    this.#frozenFor.delete(reason)
    if (this.#frozenFor.size > 0) return
    try {
      await this.#supervisor.run?.thaw?.()
    } finally {
      this.#thawedAt = performance.now()
    }
  }

  /** When its processes were last frozen, by `performance.now()`. */
  get frozenAt(): number {
    return this.#frozenFor.size > 0 ? performance.now() : this.#thawedAt
  }

  /**
   * Writes a line to the server's stdin. With an `author`, the console records the command and its author, without
   * secrets.
   */
  send(command: string, author?: string): void {
    const { data, run: settings } = this.definition.value
    const run = this.#requireConsole()
    this.#wakeForInput(author)
    const line = command.replace(/\r?\n$/, '')
    if (author !== undefined) this.#deps.console.say(formatCommandRecord(author, maskSecrets(line, data)))
    this.#input.write(run, line, getStopDelayMs(settings))
    for (const listener of this.#commandListeners) listener(line)
  }

  /** Calls the listener with each command that is sent. Returns the unsubscribe function. */
  onCommand(listener: (command: string) => void): () => void {
    this.#commandListeners.add(listener)
    return () => this.#commandListeners.delete(listener)
  }

  /** Sends the command of an action on players, as `send` does. Throws ErrNoPlayerAction when there is none. */
  runPlayerAction(type: PlayerActionType, values: PlayerValues, author?: string): void {
    this.send(this.buildPlayerAction(type, values), author)
  }

  /** The command of an action on players. Throws ErrNoPlayerAction when there is none, and the errors of the values. */
  buildPlayerAction(type: PlayerActionType, values: PlayerValues): string {
    const action = getPlayerActions(this.definition.value).find((one) => one.type === type)
    if (!action) throw new Refusal('ErrNoPlayerAction')
    return buildPlayerCommand(action, values, (text) => this.#actions.encode(text))
  }

  /**
   * Writes keystrokes to the server's terminal. With an `author`, the console records who types. Throws ErrNoTerminal
   * for a server on pipes: commands for those are recorded one by one, see `send`.
   */
  type(data: string, author?: string): void {
    if (!this.hasTerminal) throw new Refusal('ErrNoTerminal')
    const run = this.#requireConsole()
    this.#wakeForInput(author)
    if (author !== undefined) this.#deps.console.say(`${author} types in the terminal`)
    this.#actions.write(run, data)
  }

  /** Its process reads the input when it is awake. */
  #wakeForInput(author: string | undefined): void {
    // Commands of checks and backups do not keep it awake.
    if (author !== undefined) this.use.touch()
    if (!this.#supervisor.sleep) return
    this.#wake(`${author ?? 'a task'} sends a command`).catch(
      (err: unknown) => void this.#deps.log.warn({ err }, 'failed to wake a server'),
    )
  }

  /** Runs the steps of a task, concurrently with the lifecycle. */
  async runTask(steps: readonly Step[], context: TaskContext): Promise<void> {
    if (this.#isBeingRemoved) throw new Refusal('ErrServerNotFound')
    using _ = this.use.begin()
    await this.#actions.task(steps, context)
  }

  /** Starts a copy of the server from other files, see `startCopy`. */
  async startCopy(options: CopyOptions): Promise<Run> {
    if (this.#isBeingRemoved) throw new Refusal('ErrServerNotFound')
    return await this.#actions.startCopy(options)
  }

  /** Whether it is being removed: its files must not be used any more. */
  get isBeingRemoved(): boolean {
    return this.#isBeingRemoved
  }

  /**
   * Opens the server's files. The caller must close them. What is deleted or replaced is lost, unless there is a sink
   * for it. For a user the current `permissions` must be given: the template may keep files from users.
   */
  async openFiles(discarded?: TrashSink, permissions?: () => TicketPermissions): Promise<RootFs> {
    if (this.#isBeingRemoved) throw new Refusal('ErrServerNotFound')
    const { rootDir, owner } = this.#deps.location
    const denied = permissions && (() => this.deniedFiles(permissions()))
    // A user who works with the files keeps it awake.
    const use = permissions && this.use.begin()
    const opening = RootFs.open(rootDir, { create: true, owner, discarded, budget: this.diskLimit, denied, use })
    return await withRollback(opening, () => use?.[Symbol.dispose]())
  }

  /** The files that the template keeps from a user with these permissions. */
  deniedFiles(permissions: TicketPermissions): DeniedFiles | undefined {
    return hasPermission(permissions, 'admin') ? undefined : DeniedFiles.of(this.definition.value.deniedFiles)
  }

  /** Receives what an operation deletes or replaces, in the trash. */
  trashSink(context: DiscardContext): TrashSink {
    return this.#deps.trash.sink(this.id, context)
  }

  /** Opens the files for a session of SFTP, which keeps what it deletes in the trash if the node is configured so. */
  async openFilesForSftp(author: string, permissions: () => ReadonlySet<RequiredPermission>): Promise<RootFs> {
    return await this.openFiles(this.trashSink({ author, isKept: this.#deps.trash.options.sftp }), permissions)
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
    const notify = () => listener(this.status)
    const unsubscribe = [
      this.#supervisor.onStatus(listener),
      this.diskLimit.onNearlyFull(notify),
      this.pendingRestart.onChange(notify),
    ]
    return () => {
      for (const end of unsubscribe) end()
    }
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

  /**
   * Closes a server that is offline, for the move of its files to another node. It cannot be used any more. Throws
   * ErrServerBusy.
   */
  async release(): Promise<void> {
    const { state, running } = this.status
    if (running || state !== 'offline') throw new Refusal('ErrServerBusy', { state })
    this.#isBeingRemoved = true
    this.#isReleased = true
    await untilUnlocked(this)
    for (const unsubscribe of this.#removedListeners) unsubscribe()
    await this.close()
  }

  /** Whether it was closed for a move. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  /** Every part is idempotent. */
  async #removeAll(): Promise<void> {
    if (!this.#isUninstalled) await this.#uninstall()
    const { store, state, statsHistory, playerSessions, livenessReports, sharedStore, location } = this.#deps
    await this.close()
    await this.console.remove()
    state.remove()
    await statsHistory.remove()
    await playerSessions.remove()
    await livenessReports.remove()
    await sharedStore.runtimes.forget(this.id)
    await untilUnlocked(this)
    await RootFs.remove(location.rootDir)
    await this.#deps.trash.removeAll(this.id)
    await this.#deps.suspensions.set(this.id, null)
    await store.remove(this.id)
    for (const unsubscribe of this.#removedListeners) unsubscribe()
  }

  async #uninstall(): Promise<void> {
    await this.#wake('it is deleted')
    await this.#supervisor.request('kill').ended
    if (this.definition.ifValid) {
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
    this.#usage.stop()
    this.#usage.setSleeping(false)
    this.#prompts[Symbol.dispose]()
    this.#playerWatch[Symbol.dispose]()
    this.#input.close()
    this.terminalSize.close()
    await this.#deps.statsHistory.close()
    await this.#deps.playerSessions.close()
    await this.console.close()
  }

  #requireRun(): Run {
    const { run } = this.#supervisor
    if (!run) throw new Refusal('ErrServerOffline')
    return run
  }

  /** Throws ErrConsoleLost when the keeper of the process is gone. */
  #requireConsole(): Run {
    const run = this.#requireRun()
    if (!run.hasConsole) throw new Refusal('ErrConsoleLost')
    return run
  }

  /** A game that is never asked may print who plays. How many fit is not known then. */
  #countByLines(): PlayerCounts | undefined {
    const isCounted = !this.gameQuery && this.#playerWatch.countsPlayers && this.status.state === 'online'
    return isCounted ? { online: this.playerSessions.online.length, max: 0 } : undefined
  }

  #watchPlayers(): void {
    const { run } = this.#supervisor
    if (run) this.#playerWatch.watch(run.id)
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
