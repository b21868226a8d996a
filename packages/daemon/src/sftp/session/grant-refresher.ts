import { limits } from '@innkeeper/contract/limits'
import { getSftpPermissions, type SftpGrant } from '@innkeeper/contract/node-to-panel'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import type { Logger } from 'pino'
import type { PanelLink } from '../../panel-link/panel-link.ts'

/** Sessions continue for this long while no panel responds, then they end. */
const unconfirmedTimeoutMs = 60_000

/** A session whose permissions are refreshed. */
export interface RefreshedSession {
  readonly grant: SftpGrant
  /** Replaces its permissions. */
  update(rights: ReadonlySet<RequiredPermission>): void
  /** Ends the session. */
  end(why: string): void
}

interface Deps {
  readonly panel: Pick<PanelLink, 'request'>
  readonly log: Logger
  readonly everyMs?: number
  readonly maxUnconfirmedMs?: number
}

/**
 * Refreshes the permissions of all open sessions with periodic requests to the panel, so that removed permissions take
 * effect within seconds. While the panel does not respond, sessions continue for a while. No timer without sessions.
 */
export class GrantRefresher {
  readonly #deps: Deps
  readonly #sessions = new Set<RefreshedSession>()
  readonly #everyMs: number
  readonly #unconfirmedMs: number
  #timer: NodeJS.Timeout | undefined
  #confirmedAt = performance.now()
  #isClosed = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#everyMs = deps.everyMs ?? limits.socketRecheckMs
    this.#unconfirmedMs = deps.maxUnconfirmedMs ?? unconfirmedTimeoutMs
  }

  /** Watches a session whose permissions were just granted. Returns the function that stops it. */
  watch(session: RefreshedSession): () => void {
    if (this.#sessions.size === 0) this.#confirmedAt = performance.now()
    this.#sessions.add(session)
    this.#schedule()
    return () => {
      this.#sessions.delete(session)
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (this.#timer || this.#isClosed || this.#sessions.size === 0) return
    this.#timer = setTimeout(() => {
      void this.#refresh().finally(() => {
        this.#timer = undefined
        this.#schedule()
      })
    }, this.#everyMs)
    this.#timer.unref()
  }

  async #refresh(): Promise<void> {
    const sessions = [...this.#sessions]
    if (sessions.length === 0) return
    try {
      const grants = sessions.map(({ grant }) => grant)
      const { rights } = await this.#deps.panel.request(getSftpPermissions, { body: { grants } })
      if (rights.length !== sessions.length) throw new Error('The panel did not respond for every session.')
      this.#confirmedAt = performance.now()
      for (const [at, session] of sessions.entries()) {
        const current = rights[at]
        if (current) session.update(new Set(current))
        else session.end('the sign-in is no longer valid')
      }
    } catch (error) {
      const sinceMs = performance.now() - this.#confirmedAt
      this.#deps.log.warn(
        { err: error, sessions: sessions.length },
        'failed to refresh the permissions of SFTP sessions',
      )
      if (sinceMs < this.#unconfirmedMs) return
      for (const session of sessions) session.end('the panel does not respond')
    }
  }
}
