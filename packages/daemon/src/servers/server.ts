import { availableParallelism, totalmem } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { formatCommandRecord, maskSecrets } from '@innkeeper/contract/console-commands'
import { environmentOf, environmentTypeOf, groupsOf, type ServerDefinition } from '@innkeeper/contract/definition'
import { invalidCondition } from '@innkeeper/contract/definition-conditions'
import { validateDefinition } from '@innkeeper/contract/definition-problems'
import { type ListenAddress, tryParseListenAddress } from '@innkeeper/contract/listen-address'
import type { ServerData } from '@innkeeper/contract/node-servers'
import type { Step } from '@innkeeper/contract/operations'
import { scopeOfPermission } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { ServerUsage } from '@innkeeper/contract/servers'
import type { ServerStats, ServerStatus } from '@innkeeper/contract/status'
import { validateUse } from '@innkeeper/contract/value-uses'
import { isUserEditable, textOf, type VariableValues, validateVariable } from '@innkeeper/contract/variables'
import type { Logger } from 'pino'
import type { Console } from '../console/console.ts'
import { RootFs } from '../files/root.ts'
import type { Wish } from '../lifecycle/rules.ts'
import type { StateFile } from '../lifecycle/state-file.ts'
import { Supervisor } from '../lifecycle/supervisor.ts'
import type { Measuring, Run } from '../processes/run.ts'
import type { StatsPast } from '../statistics/past.ts'
import type { Sampler } from '../statistics/sampler.ts'
import { expectTasksWithinLimits, withAnswerable } from './answerable.ts'
import type { DefinitionStore, Stored } from './definitions.ts'
import type { Place } from './launch.ts'
import { SharedTerminalSize } from './terminal-size.ts'
import { serverWork, type TaskRoom } from './work.ts'

type WorkNeeds = Parameters<typeof serverWork>[0]

export interface ServerNeeds {
  readonly place: Place
  readonly stored: Stored
  readonly store: DefinitionStore
  readonly console: Console
  readonly state: StateFile
  readonly environmentFor: WorkNeeds['environmentFor']
  readonly fetch: WorkNeeds['fetch']
  readonly supplies: WorkNeeds['supplies']
  readonly curseforgeKey?: WorkNeeds['curseforgeKey']
  readonly shortfalls: WorkNeeds['shortfalls']
  readonly portTroubles: WorkNeeds['portTroubles']
  readonly patterns: WorkNeeds['patterns']
  readonly sampler: Sampler
  readonly past: StatsPast
  readonly log: Logger
}

/** What someone sees of a variable map: everything, or what the users of the server may edit. */
export type Sight = 'all' | 'userEditable'

/** One server of this node: its definition, its life, its console. */
export class Server {
  readonly id: string
  readonly console: Console
  readonly terminalSize = new SharedTerminalSize((size) => this.#supervisor.run?.resize(size.cols, size.rows))
  readonly #needs: ServerNeeds
  readonly #supervisor: Supervisor
  readonly #work: ReturnType<typeof serverWork>
  readonly #leavers = new Set<() => void>()
  readonly #readers = new Set<() => void>()
  #stored: Stored
  #measuring: Measuring | undefined
  /** The process whose terminal has the current size. */
  #sizedRun: Run | undefined
  #isLeaving = false
  /** The removal that is in progress. */
  #removing: Promise<void> | undefined
  #isUninstalled = false
  /** Changes of the definition, one after the other. */
  #changes: Promise<unknown> = Promise.resolve()

  constructor(needs: ServerNeeds) {
    this.id = needs.place.id
    this.console = needs.console
    this.#needs = needs
    this.#stored = needs.stored
    this.#work = serverWork({
      ...needs,
      definition: () => this.#whole().definition,
      send: (line) => this.send(line),
      terminalSize: () => this.terminalSize.current,
      setVariable: (name, value) => this.#setVariable(name, value),
    })
    this.#supervisor = new Supervisor({ work: this.#work, console: needs.console, file: needs.state, log: needs.log })
    this.#supervisor.watch(({ running }) => {
      this.#measure(running)
      this.#sizeTerminal()
    })
    if (needs.stored.is === 'damaged') this.#complain(needs.stored.reason)
  }

  get status(): ServerStatus {
    return { ...this.#supervisor.status, ...(this.hasTerminal && { hasTerminal: true }) }
  }

  /** Whether it runs on a terminal, and not on pipes. */
  get hasTerminal(): boolean {
    return this.#stored.is === 'whole' && environmentTypeOf(environmentOf(this.#stored.definition)) !== 'standard'
  }

  /** Throws ErrServerOffline when nothing runs. */
  get stats(): ServerStats {
    this.#whole()
    if (!this.#supervisor.run) throw new Refusal('ErrServerOffline')
    return this.#measuring?.latest() ?? { cpu: 0, memory: 0 }
  }

  /** What it is doing and uses, for lists; one that does not run uses nothing. */
  get usage(): ServerUsage {
    const runs = this.#stored.is === 'whole' && this.#supervisor.run !== undefined
    const stats = runs ? this.stats : { cpu: 0, memory: 0 }
    return { id: this.id, status: this.status, stats, memoryMax: this.#memoryMax, cpuMax: this.#cpuMax }
  }

  /** The most memory that it can use, in bytes. */
  get #memoryMax(): number {
    return Math.min((this.#limits?.memory ?? Number.POSITIVE_INFINITY) * 1024 ** 2, totalmem())
  }

  /** The most CPU that it can use, in percent of one core. */
  get #cpuMax(): number {
    return Math.min(this.#limits?.cpu ?? Number.POSITIVE_INFINITY, availableParallelism() * 100)
  }

  get #limits() {
    return this.#stored.is === 'whole' ? environmentOf(this.#stored.definition).limits : undefined
  }

  /** What it used in the past, over its restarts and those of the node. */
  get statsPast(): Pick<StatsPast, 'series'> {
    return this.#needs.past
  }

  /** Whether the node starts it when it starts itself. */
  get startsWithNode(): boolean {
    if (this.#stored.is === 'damaged') return false
    const { autostart, disabled } = this.#stored.definition.run
    return autostart === true && disabled !== true
  }

  /** Whether its definition says how it is stopped; what is damaged says nothing, and can only be killed. */
  get canBeStopped(): boolean {
    return this.#stored.is === 'whole'
  }

  /** Where it listens, as its definition says. */
  get address(): ListenAddress {
    return tryParseListenAddress(this.#stored.is === 'whole' ? this.#stored.definition.data : {})
  }

  /** The definition with its version. */
  get definition(): { definition: ServerDefinition; version: string } {
    const { definition, version } = this.#whole()
    return { definition: { ...definition, id: this.id }, version }
  }

  /** Takes up what an earlier daemon left, with the server's process if there is one. */
  resume(run: Run | undefined): void {
    this.#supervisor.resume(run)
  }

  /** Says that nobody can tell whether it runs, because what would run it does not answer; or that somebody can again. */
  doubt(isInDoubt: boolean): void {
    this.#supervisor.doubt(isInDoubt)
  }

  /** Wants a start, stop ... `ended` tells how it went. */
  power(wish: Wish): { ended: Promise<void> } {
    if (this.#isLeaving) throw new Refusal('ErrServerNotFound')
    // What is at work can be killed whatever became of its definition.
    if (wish !== 'kill' || this.status.state === 'offline') {
      const { run } = this.#whole().definition
      if (run.disabled && wish !== 'stop' && wish !== 'kill') throw new Refusal('ErrServerDisabled')
    }
    return this.#supervisor.wish(wish)
  }

  /** Types a line into the server. With an `author` the console shows and keeps who sent it, without secrets. */
  send(command: string, author?: string): void {
    const { data } = this.#whole().definition
    const run = this.#running()
    const line = command.replace(/\r?\n$/, '')
    if (author !== undefined) this.#needs.console.say(formatCommandRecord(author, maskSecrets(line, data)))
    run.write(`${line}\n`)
  }

  /**
   * Types keystrokes into the server's terminal. With an `author` the console shows and keeps that they type there. Throws
   * ErrNoTerminal for a server on pipes: commands for those are recorded one by one, see `send`.
   */
  type(data: string, author?: string): void {
    if (!this.hasTerminal) throw new Refusal('ErrNoTerminal')
    const run = this.#running()
    if (author !== undefined) this.#needs.console.say(`${author} types in the terminal`)
    run.write(data)
  }

  /** Replaces the definition, all but the id. The person answers for the tasks that this changes. */
  async define(definition: ServerDefinition, by: number | undefined, ifMatch?: string): Promise<string> {
    const objection = validateDefinition(definition) ?? invalidCondition(definition)
    if (objection) throw objection
    return await this.#change(async () => {
      const before = this.#whole().definition.tasks
      expectTasksWithinLimits(definition.tasks, before)
      const tasks = withAnswerable(definition.tasks, before, by)
      return await this.#needs.store.write(this.id, { ...definition, ...(tasks && { tasks }) }, ifMatch)
    })
  }

  /** The tasks as the definition has them. */
  get tasks(): Readonly<Record<string, unknown>> {
    return this.#whole().definition.tasks ?? {}
  }

  /** Changes the tasks of the definition and nothing else; all of it or, when the change throws, nothing. */
  async changeTasks(
    change: (tasks: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.#change(async () => {
      const stored = await this.#onDisk()
      const before = stored.definition.tasks ?? {}
      const tasks = change(before)
      expectTasksWithinLimits(tasks, before)
      return await this.#needs.store.write(this.id, { ...stored.raw, tasks }, stored.version)
    })
  }

  /** Runs the steps of a task, beside whatever else the server does. */
  async runTask(steps: readonly Step[], room: TaskRoom): Promise<void> {
    if (this.#isLeaving) throw new Refusal('ErrServerNotFound')
    await this.#work.task(steps, room)
  }

  /** Its variables, and the groups of those. */
  data(sight: Sight): ServerData {
    const { definition } = this.#whole()
    const all = Object.entries(definition.data)
    const data = Object.fromEntries(sight === 'all' ? all : all.filter(([, variable]) => isUserEditable(variable)))
    const groups = groupsOf(definition).map((group) => ({
      ...group,
      variables: group.variables.filter((name) => Object.hasOwn(data, name)),
    }))
    return { data, groups: groups.filter(({ variables }) => variables.length > 0) }
  }

  /**
   * Takes over each value that was given; all of them or, when one is refused, none. Answers the new version of the
   * definition.
   */
  async setData(values: VariableValues, sight: Sight, ifMatch?: string): Promise<string> {
    return await this.#change(async () => {
      const stored = await this.#onDisk()
      // `data` answers from what is loaded, which a definition changed by hand on the disk is not yet.
      if (ifMatch !== undefined && ifMatch !== this.#whole().version) throw new Refusal('ErrStaleVersion')
      const data: Record<string, unknown> = { ...(stored.raw.data as Record<string, unknown> | null | undefined) }
      for (const [name, { value }] of Object.entries(values)) {
        if (value === undefined) continue
        const variable = Object.hasOwn(stored.definition.data, name) ? stored.definition.data[name] : undefined
        const mayChange = sight === 'all' || (variable !== undefined && isUserEditable(variable))
        if (!mayChange) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission.admin, field: name })
        const isSame = variable !== undefined && textOf(variable.value) === textOf(value)
        const objection =
          validateVariable(name, variable ?? {}, value) ??
          (isSame ? undefined : validateUse(stored.definition, name, variable ?? {}, value))
        if (objection) throw objection
        data[name] = { ...(data[name] as Record<string, unknown> | undefined), value }
      }
      return await this.#needs.store.write(this.id, { ...stored.raw, data }, stored.version)
    })
  }

  /** What a step found out; a variable that is missing is made, and shown to nobody who may not see the definition. */
  async #setVariable(name: string, value: string): Promise<void> {
    await this.#change(async () => {
      const stored = await this.#onDisk()
      const data = { ...(stored.raw.data as Record<string, unknown> | null | undefined) }
      const before = Object.hasOwn(stored.definition.data, name) ? stored.definition.data[name] : undefined
      if (before && textOf(before.value) === value) return stored
      data[name] = { ...(before ? (data[name] as object) : { type: 'string', internal: true }), value }
      return await this.#needs.store.write(this.id, { ...stored.raw, data }, stored.version)
    })
  }

  /** Reads the definition from the disk again; that heals a damaged one. The person answers for tasks that changed. */
  async reload(by: number | undefined): Promise<void> {
    await this.#change(async () => {
      const stored = await this.#needs.store.read(this.id)
      if (stored?.is === 'whole') {
        const before = this.#stored.is === 'whole' ? this.#stored.definition.tasks : undefined
        const tasks = withAnswerable(stored.definition.tasks, before, by)
        if (isDeepStrictEqual(tasks, stored.definition.tasks)) return stored
        return await this.#needs.store.write(this.id, { ...stored.raw, tasks }, stored.version)
      }
      const reason = stored?.reason ?? 'it is gone'
      this.#stored = { is: 'damaged', reason }
      this.#complain(reason)
      for (const read of this.#readers) read()
      throw new Refusal('ErrServerDamaged', { reason })
    })
  }

  /** Whether it is being removed: nobody works with its files any more. */
  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** The server's files; whoever opens them closes them. */
  async openFiles(): Promise<RootFs> {
    if (this.#isLeaving) throw new Refusal('ErrServerNotFound')
    const { rootDir, owner } = this.#needs.place
    return await RootFs.open(rootDir, { create: true, owner })
  }

  /** Removes what an earlier daemon had begun to write, or to remove, when it ended. */
  async sweepFiles(signal: AbortSignal): Promise<void> {
    if (this.#isLeaving) return
    try {
      await using files = await this.openFiles()
      const removed = await files.sweep({ signal })
      if (removed > 0) this.#needs.log.info({ removed }, 'unfinished files of an earlier run were removed')
    } catch (cause) {
      if (!signal.aborted) this.#needs.log.warn({ err: cause }, 'unfinished files could not be removed')
    }
  }

  /** Tells of every change of the status, until the answer is called. */
  watch(watcher: (status: ServerStatus) => void): () => void {
    return this.#supervisor.watch(watcher)
  }

  /** Tells when there is another definition, or none that can be used, until the answer is called. */
  whenDefined(read: () => void): () => void {
    this.#readers.add(read)
    return () => this.#readers.delete(read)
  }

  /** Tells when the server is removed, until the answer is called. */
  whenRemoved(leave: () => void): () => void {
    this.#leavers.add(leave)
    return () => this.#leavers.delete(leave)
  }

  /**
   * Ends what runs, undoes the install, removes all that is the server's; its definition last. After a failure another
   * call goes on where the first one failed. Concurrent calls share one removal.
   */
  async remove(): Promise<void> {
    this.#isLeaving = true
    this.#removing ??= this.#removeAll().finally(() => {
      this.#removing = undefined
      // Nothing was undone yet: the server can still be used.
      if (!this.#isUninstalled) this.#isLeaving = false
    })
    await this.#removing
  }

  /** Every part may be repeated. */
  async #removeAll(): Promise<void> {
    if (!this.#isUninstalled) await this.#uninstall()
    const { store, state, past, supplies, place } = this.#needs
    await this.close()
    await this.console.remove()
    state.remove()
    await past.remove()
    await supplies.shelf.forget(this.id)
    await this.#changes
    await RootFs.remove(place.rootDir)
    await store.remove(this.id)
    for (const leave of this.#leavers) leave()
  }

  async #uninstall(): Promise<void> {
    await this.#supervisor.wish('kill').ended
    if (this.#stored.is === 'whole') {
      await this.#work.uninstall(new AbortController().signal).catch((cause: unknown) => {
        // Whoever deletes a server wants it gone, also when a step of its template fails.
        this.#needs.log.warn({ err: cause }, 'uninstall steps failed')
        this.console.say('Failed to uninstall server')
      })
    }
    this.#isUninstalled = true
  }

  /** Lets go of the server without touching its process. */
  async close(): Promise<void> {
    await this.#supervisor.close()
    this.#measuring?.stop()
    this.#measuring = undefined
    this.terminalSize.close()
    await this.#needs.past.close()
    await this.console.close()
  }

  #whole(): Extract<Stored, { is: 'whole' }> {
    if (this.#stored.is === 'damaged') throw new Refusal('ErrServerDamaged', { reason: this.#stored.reason })
    return this.#stored
  }

  /** The definition as the disk has it: a change made there by hand must not be undone by another one. */
  async #onDisk(): Promise<Extract<Stored, { is: 'whole' }>> {
    this.#whole()
    const stored = await this.#needs.store.read(this.id)
    if (stored?.is !== 'whole') throw new Refusal('ErrServerDamaged', { reason: stored?.reason ?? 'it is gone' })
    return stored
  }

  #running(): Run {
    const { run } = this.#supervisor
    if (!run) throw new Refusal('ErrServerOffline')
    return run
  }

  async #change(change: () => Promise<Stored>): Promise<string> {
    const turn = this.#changes.then(change)
    // Whoever asked handles the failure; the next in turn only waits.
    this.#changes = turn.catch(() => {})
    this.#stored = await turn
    for (const read of this.#readers) read()
    return this.#whole().version
  }

  #measure(isRunning: boolean): void {
    const { run } = this.#supervisor
    if (isRunning && run && !this.#measuring) {
      const keep = (stats: ServerStats) => this.#needs.past.add(stats)
      this.#measuring =
        run.measure?.(keep) ?? this.#needs.sampler.watch(run.key, run.process, keep, () => run.members?.() ?? [])
    } else if (!isRunning) {
      this.#measuring?.stop()
      this.#measuring = undefined
    }
  }

  /** One that an earlier daemon started has the size of viewers who are gone. */
  #sizeTerminal(): void {
    const { run } = this.#supervisor
    if (run === this.#sizedRun) return
    this.#sizedRun = run
    const { cols, rows } = this.terminalSize.current
    run?.resize(cols, rows)
  }

  #complain(reason: string): void {
    this.console.say(
      `The definition of this server is damaged, nothing can be done with it until it is repaired: ${reason}`,
    )
    this.#needs.log.error({ reason }, 'a server definition is damaged')
  }
}
