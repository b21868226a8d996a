import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { getSftpPermissions, type SftpGrant } from '@innkeeper/contract/node-link/node-to-panel'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import type { PanelLink } from '../../panel-link/panel-link.ts'

/** Sessions continue for this long while no panel responds, then they end. */
const unconfirmedTimeoutMs = 60_000

/** A session whose permissions are refreshed. */
export interface RefreshedSession {
  readonly grant: SftpGrant
  /** Replaces its permissions. */
  update(permissions: ReadonlySet<RequiredPermission>): void
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
 * effect within seconds. While the panel does not respond, sessions continue for a while.
 */
export class GrantRefresher {
  readonly #deps: Deps
  readonly #sessions = new Set<RefreshedSession>()
  readonly #refreshing: PeriodicJob
  #confirmedAt = performance.now()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#refreshing = new PeriodicJob({
      everyMs: deps.everyMs ?? limits.socketRecheckMs,
      run: () => this.#refresh(),
      onError: (error) => this.#handleError(error),
    }).start()
  }

  /** Watches a session whose permissions were just granted. Returns the function that stops it. */
  watch(session: RefreshedSession): () => void {
    if (this.#sessions.size === 0) this.#confirmedAt = performance.now()
    this.#sessions.add(session)
    return () => {
      this.#sessions.delete(session)
    }
  }

  async close(): Promise<void> {
    await this.#refreshing.close()
  }

  async #refresh(): Promise<void> {
    const sessions = [...this.#sessions]
    if (sessions.length === 0) return
    const grants = sessions.map(({ grant }) => grant)
    const { rights: permissions } = await this.#deps.panel.request(getSftpPermissions, { body: { grants } })
    if (permissions.length !== sessions.length) throw new Error('The panel did not respond for every session.')
    this.#confirmedAt = performance.now()
    for (const [at, session] of sessions.entries()) {
      const current = permissions[at]
      if (current) session.update(new Set(current))
      else session.end('the sign-in is no longer valid')
    }
  }

  #handleError(err: unknown): void {
    const { log, maxUnconfirmedMs = unconfirmedTimeoutMs } = this.#deps
    log.warn({ err, sessions: this.#sessions.size }, 'failed to refresh the permissions of SFTP sessions')
    if (performance.now() - this.#confirmedAt < maxUnconfirmedMs) return
    for (const session of this.#sessions) session.end('the panel does not respond')
  }
}
