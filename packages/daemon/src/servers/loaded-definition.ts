import { isDeepStrictEqual } from 'node:util'
import { scopeOfPermission } from '@innkeeper/contract/api/permissions'
import { getGroups, type ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { invalidCondition } from '@innkeeper/contract/definitions/definition-conditions'
import { validateDefinition } from '@innkeeper/contract/definitions/definition-problems'
import type { ServerData } from '@innkeeper/contract/definitions/server-definition'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { validateUse } from '@innkeeper/contract/definitions/value-uses'
import {
  getText,
  isUserEditable,
  isUserVisible,
  storedValue,
  type VariableValues,
} from '@innkeeper/contract/definitions/variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type LockKey, withLock } from '@innkeeper/contract/jobs/mutex'
import type { DefinitionStore, StoredDefinition } from './definitions.ts'
import { assertTasksWithinLimits, assignTaskOwners } from './task-owners.ts'

type Valid = Extract<StoredDefinition, { status: 'valid' }>

/** Which variables a user may see and change: all, or only those that the definition shows to users. */
export type VariableVisibility = 'all' | 'users'

interface Deps {
  readonly id: string
  readonly stored: StoredDefinition
  readonly store: DefinitionStore
  /** Serializes changes. */
  readonly lockKey: LockKey
  /** Called when a reload finds a damaged definition. */
  readonly onDamage: (reason: string) => void
}

/** The definition of one server as loaded, and its changes on disk, one at a time. */
export class LoadedDefinition {
  readonly #deps: Deps
  readonly #listeners = new Set<() => void>()
  #stored: StoredDefinition

  constructor(deps: Deps) {
    this.#deps = deps
    this.#stored = deps.stored
  }

  /** Throws ErrServerDamaged. */
  get value(): ServerDefinition {
    return this.#valid().definition
  }

  /** Throws ErrServerDamaged. */
  requireValid(): void {
    this.#valid()
  }

  /** Undefined while it is damaged. */
  get ifValid(): ServerDefinition | undefined {
    return this.#stored.status === 'valid' ? this.#stored.definition : undefined
  }

  /** The definition with the server's ID, and its version. Throws ErrServerDamaged. */
  get current(): { definition: ServerDefinition; version: string } {
    const { definition, version } = this.#valid()
    return { definition: { ...definition, id: this.#deps.id }, version }
  }

  /** The tasks in the definition. */
  get tasks(): Readonly<Record<string, unknown>> {
    return this.value.tasks ?? {}
  }

  /** Replaces the definition, except for the id. The user `by` becomes the owner of the tasks that change. */
  async replace(definition: ServerDefinition, by: number | undefined, ifMatch?: string): Promise<string> {
    const error = validateDefinition(definition) ?? invalidCondition(definition)
    if (error) throw error
    return await this.#change(async () => {
      const before = this.value.tasks
      assertTasksWithinLimits(definition.tasks, before)
      const tasks = assignTaskOwners(definition.tasks, before, by)
      return await this.#deps.store.write(this.#deps.id, { ...definition, ...(tasks && { tasks }) }, ifMatch)
    })
  }

  /** Changes only the tasks of the definition. Changes nothing when `change` throws. */
  async changeTasks(
    change: (tasks: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  ): Promise<void> {
    await this.#change(async () => {
      const stored = await this.#read()
      const before = stored.definition.tasks ?? {}
      const tasks = change(before)
      assertTasksWithinLimits(tasks, before)
      return await this.#deps.store.write(this.#deps.id, { ...stored.raw, tasks }, stored.version)
    })
  }

  /** The visible variables and their groups. */
  data(visibility: VariableVisibility): ServerData {
    const definition = this.value
    const all = Object.entries(definition.data)
    const data = Object.fromEntries(visibility === 'all' ? all : all.filter(([, variable]) => isUserVisible(variable)))
    const groups = getGroups(definition).map((group) => ({
      ...group,
      variables: group.variables.filter((name) => Object.hasOwn(data, name)),
    }))
    return { data, groups: groups.filter(({ variables }) => variables.length > 0) }
  }

  /** Sets the given values, all or none. Returns the new version of the definition. */
  async setData(values: VariableValues, visibility: VariableVisibility, ifMatch?: string): Promise<string> {
    return await this.#change(async () => {
      const stored = await this.#read()
      // `data` returns the loaded definition, which may be older than a file that was edited by hand.
      if (ifMatch !== undefined && ifMatch !== this.#valid().version) throw new Refusal('ErrStaleVersion')
      const data: Record<string, unknown> = { ...(stored.raw.data as Record<string, unknown> | null | undefined) }
      for (const [name, { value }] of Object.entries(values)) {
        if (value === undefined) continue
        const variable = Object.hasOwn(stored.definition.data, name) ? stored.definition.data[name] : undefined
        const mayChange = visibility === 'all' || (variable !== undefined && isUserEditable(variable))
        if (!mayChange) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission.admin, field: name })
        const isSame = variable !== undefined && getText(variable.value) === getText(value)
        const error =
          validateVariable(name, variable ?? {}, value) ??
          (isSame ? undefined : validateUse(stored.definition, name, variable ?? {}, value))
        if (error) throw error
        data[name] = {
          ...(data[name] as Record<string, unknown> | undefined),
          value: storedValue(variable ?? {}, value),
        }
      }
      return await this.#deps.store.write(this.#deps.id, { ...stored.raw, data }, stored.version)
    })
  }

  /**
   * Sets a variable from a step. A missing variable is created as internal: only users who may see the definition see
   * it.
   */
  async setVariable(name: string, value: string): Promise<void> {
    await this.#change(async () => {
      const stored = await this.#read()
      const data = { ...(stored.raw.data as Record<string, unknown> | null | undefined) }
      const before = Object.hasOwn(stored.definition.data, name) ? stored.definition.data[name] : undefined
      if (before && getText(before.value) === value) return stored
      data[name] = { ...(before ? (data[name] as object) : { type: 'string', internal: true }), value }
      return await this.#deps.store.write(this.#deps.id, { ...stored.raw, data }, stored.version)
    })
  }

  /**
   * Reads the definition from disk again, also when it was damaged. The user `by` becomes the owner of changed tasks.
   */
  async reload(by: number | undefined): Promise<void> {
    await this.#change(async () => {
      const stored = await this.#deps.store.read(this.#deps.id)
      if (stored?.status === 'valid') {
        const tasks = assignTaskOwners(stored.definition.tasks, this.ifValid?.tasks, by)
        if (isDeepStrictEqual(tasks, stored.definition.tasks)) return stored
        return await this.#deps.store.write(this.#deps.id, { ...stored.raw, tasks }, stored.version)
      }
      const reason = stored?.reason ?? 'the file does not exist'
      this.#stored = { status: 'damaged', reason }
      this.#deps.onDamage(reason)
      for (const listener of this.#listeners) listener()
      throw new Refusal('ErrServerDamaged', { reason })
    })
  }

  /** Calls the listener when the definition changes or becomes unusable. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #valid(): Valid {
    if (this.#stored.status === 'damaged') throw new Refusal('ErrServerDamaged', { reason: this.#stored.reason })
    return this.#stored
  }

  /** Reads the definition from disk, so that a change made by hand is not overwritten. */
  async #read(): Promise<Valid> {
    this.#valid()
    const stored = await this.#deps.store.read(this.#deps.id)
    if (stored?.status !== 'valid')
      throw new Refusal('ErrServerDamaged', { reason: stored?.reason ?? 'the file does not exist' })
    return stored
  }

  /** Changes the definition; changes are serialized. */
  async #change(change: () => Promise<StoredDefinition>): Promise<string> {
    this.#stored = await withLock([this.#deps.lockKey], change)
    for (const listener of this.#listeners) listener()
    return this.#valid().version
  }
}
