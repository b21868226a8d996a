import { setTimeout as pause } from 'node:timers/promises'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { getTaskPermissions } from '@innkeeper/contract/node-link/node-to-panel'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { withTimeout } from '../concurrency/timeout.ts'
import type { PanelLink } from '../panel-link/panel-link.ts'

/** While no panel responds, the last known permissions apply. */
const requestTimeoutMs = 5_000
const retryDelayMs = 500

interface Deps {
  /** Without one, no permissions are known. */
  readonly panel: Pick<PanelLink, 'request'> | undefined
  readonly log: Logger
  readonly timeoutMs?: number | undefined
}

interface PendingQuestion {
  readonly userId: number
  readonly server: string
  readonly resolve: (permissions: readonly RequiredPermission[] | undefined) => void
}

/**
 * Asks the panel for users' permissions, with one request for all concurrent questions. A panel that does not respond
 * is waited for, because it may be starting; once it is known to be unreachable, calls do not wait.
 */
export class TaskPermissions {
  readonly #deps: Deps
  readonly #timeoutMs: number
  readonly #closing = new AbortController()
  #pending: PendingQuestion[] = []
  #isAway = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#timeoutMs = deps.timeoutMs ?? requestTimeoutMs
  }

  /**
   * Returns the permissions of a user on a server; none for a deleted user. Returns undefined when the panel does not
   * respond.
   */
  async of(userId: number, server: string): Promise<readonly RequiredPermission[] | undefined> {
    const { promise, resolve } = Promise.withResolvers<readonly RequiredPermission[] | undefined>()
    this.#pending.push({ userId, server, resolve })
    if (this.#pending.length === 1) setImmediate(() => void this.#requestBatch())
    return await promise
  }

  close(): void {
    this.#closing.abort()
  }

  async #requestBatch(): Promise<void> {
    const questions = this.#pending
    this.#pending = []
    for (let at = 0; at < questions.length; at += limits.taskUsersPerRequest) {
      const batch = questions.slice(at, at + limits.taskUsersPerRequest)
      const permissions = await this.#askWithRetry(batch)
      for (const [number, { resolve }] of batch.entries()) resolve(permissions && (permissions[number] ?? []))
    }
  }

  async #askWithRetry(
    questions: readonly PendingQuestion[],
  ): Promise<readonly (readonly RequiredPermission[] | null)[] | undefined> {
    const { panel, log } = this.#deps
    if (!panel) return undefined
    const users = questions.map(({ userId, server }) => ({ userId, server }))
    const until = performance.now() + (this.#isAway ? 0 : this.#timeoutMs)
    for (;;) {
      try {
        const { rights: permissions } = await withTimeout(
          panel.request(getTaskPermissions, { body: { people: users } }),
          {
            ms: this.#timeoutMs,
            error: () => new Error('The panel did not respond in time.'),
          },
        )
        if (permissions.length !== users.length) throw new Error('The panel did not respond for every user.')
        this.#isAway = false
        return permissions
      } catch (error) {
        if (performance.now() + retryDelayMs < until && !this.#closing.signal.aborted) {
          await pause(retryDelayMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {})
          continue
        }
        if (!this.#isAway) log.warn({ err: error }, 'the panel does not respond: tasks use the last known permissions')
        this.#isAway = true
        return undefined
      }
    }
  }
}
