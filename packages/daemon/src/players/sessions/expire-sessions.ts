import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import type { PlayerSessions } from './player-sessions.ts'

interface Deps {
  readonly servers: { readonly servers: readonly { readonly playerSessions: Pick<PlayerSessions, 'expire'> }[] }
  readonly log: Logger
}

const everyMs = 12 * 60 * 60 * 1000

/** Deletes old sessions from the disk, also of servers where nobody plays any more. One server at a time. */
export function expireSessionsJob({ servers, log }: Deps): PeriodicJob {
  return new PeriodicJob({
    everyMs,
    async run(signal) {
      for (const { playerSessions } of servers.servers) {
        if (signal.aborted) return
        await playerSessions.expire()
      }
    },
    onError: (err) => log.error({ err }, 'failed to delete old sessions of players'),
  })
}
