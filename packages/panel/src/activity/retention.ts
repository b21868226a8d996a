import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import type { ActivityLog } from './activity.ts'

const purgeIntervalMs = 60 * 60 * 1000

interface Deps {
  readonly activity: Pick<ActivityLog, 'purge'>
  readonly log: Logger
}

/** Deletes old audit log entries. Several panels may do this at the same time. */
export function activityRetention({ activity, log }: Deps): PeriodicJob {
  return new PeriodicJob({
    everyMs: purgeIntervalMs,
    async run() {
      const purged = await activity.purge()
      if (purged > 0) log.info({ purged }, 'old audit log entries were deleted')
    },
    onError: (err) => log.warn({ err }, 'old audit log entries could not be deleted; retrying later'),
  })
}
