import { limits } from '@innkeeper/contract/limits'
import { getSftpPermissions, type SftpGrant } from '@innkeeper/contract/node-to-panel'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import type { Logger } from 'pino'
import type { PanelLink } from '../../panel-link/panel-link.ts'

/** A session as far as its rights go. */
export interface RefreshedSession {
  readonly grant: SftpGrant
  /** What it may do from now on. */
  update(rights: ReadonlySet<RequiredPermission>): void
  /** It must not go on. */
  end(why: string): void
}

interface Deps {
  readonly panel: Pick<PanelLink, 'ask'>
  readonly log: Logger
  readonly everyMs?: number
  readonly maxUnconfirmedMs?: number
}

/**
 * Asks the panel again and again what open sessions may do, in one request for all of them, so that what was taken away
 * ends within seconds. While no panel answers they go on for a while. Nothing ticks when there are none.
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
    this.#unconfirmedMs = deps.maxUnconfirmedMs ?? limits.sftpUnconfirmedMs
  }

  /** Watches a session that the panel just granted, until the answer is called. */
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
      const { rights } = await this.#deps.panel.ask(getSftpPermissions, { body: { grants } })
      if (rights.length !== sessions.length) throw new Error('The panel did not answer for every session.')
      this.#confirmedAt = performance.now()
      for (const [at, session] of sessions.entries()) {
        const held = rights[at]
        if (held) session.update(new Set(held))
        else session.end('the login is no longer good')
      }
    } catch (error) {
      const sinceMs = performance.now() - this.#confirmedAt
      this.#deps.log.warn({ err: error, sessions: sessions.length }, 'SFTP sessions could not be confirmed')
      if (sinceMs < this.#unconfirmedMs) return
      for (const session of sessions) session.end('no panel confirms it')
    }
  }
}
