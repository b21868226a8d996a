import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '@innkeeper/contract/limits'
import { getTaskPermissions } from '@innkeeper/contract/node-to-panel'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import type { Logger } from 'pino'
import type { PanelLink } from '../panel-link/panel-link.ts'

interface Deps {
  /** Without one nobody answers. */
  readonly panel: Pick<PanelLink, 'ask'> | undefined
  readonly log: Logger
  readonly timeoutMs?: number | undefined
}

interface PendingQuestion {
  readonly userId: number
  readonly server: string
  readonly resolve: (rights: readonly RequiredPermission[] | undefined) => void
}

/**
 * Asks the panel what people may do, in one request for all that is asked at the same moment. A panel that does not answer
 * is given a while, because it may be starting; once it is known to be away nobody waits for it.
 */
export class TaskRights {
  readonly #deps: Deps
  readonly #timeoutMs: number
  readonly #closing = new AbortController()
  #pending: PendingQuestion[] = []
  #isAway = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#timeoutMs = deps.timeoutMs ?? limits.taskPermissionsMs
  }

  /** What a person may do on a server now; nothing at all for one who is gone. `undefined` while no panel answers. */
  async of(userId: number, server: string): Promise<readonly RequiredPermission[] | undefined> {
    const { promise, resolve } = Promise.withResolvers<readonly RequiredPermission[] | undefined>()
    this.#pending.push({ userId, server, resolve })
    if (this.#pending.length === 1) setImmediate(() => void this.#ask())
    return await promise
  }

  close(): void {
    this.#closing.abort()
  }

  async #ask(): Promise<void> {
    const questions = this.#pending
    this.#pending = []
    for (let at = 0; at < questions.length; at += limits.taskUsersPerRequest) {
      const batch = questions.slice(at, at + limits.taskUsersPerRequest)
      const rights = await this.#askWithRetry(batch)
      for (const [number, { resolve }] of batch.entries()) resolve(rights && (rights[number] ?? []))
    }
  }

  async #askWithRetry(
    questions: readonly PendingQuestion[],
  ): Promise<readonly (readonly RequiredPermission[] | null)[] | undefined> {
    const { panel, log } = this.#deps
    if (!panel) return undefined
    const people = questions.map(({ userId, server }) => ({ userId, server }))
    const until = performance.now() + (this.#isAway ? 0 : this.#timeoutMs)
    for (;;) {
      try {
        const { rights } = await within(this.#timeoutMs, panel.ask(getTaskPermissions, { body: { people } }))
        if (rights.length !== people.length) throw new Error('The panel did not answer for everybody.')
        this.#isAway = false
        return rights
      } catch (error) {
        if (performance.now() + limits.taskPermissionsRetryMs < until && !this.#closing.signal.aborted) {
          await pause(limits.taskPermissionsRetryMs, undefined, { signal: this.#closing.signal, ref: false }).catch(
            () => {},
          )
          continue
        }
        if (!this.#isAway)
          log.warn({ err: error }, 'no panel says what people may do: what it said last holds for tasks')
        this.#isAway = true
        return undefined
      }
    }
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('The panel did not answer in time.')), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
