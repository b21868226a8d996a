import { isInEffect, type Suspension } from '@innkeeper/contract/servers/suspension'
import type { ServerRow } from '../database/schema.ts'

/** What `findSuspension` needs. */
export const suspensionColumns = ['suspended_at', 'suspended_reason', 'suspended_until'] as const

/** The suspension of a server, unless it has ended. */
export function findSuspension(
  row: Pick<ServerRow, (typeof suspensionColumns)[number]>,
  now: number,
): Suspension | undefined {
  if (row.suspended_at === null) return undefined
  const suspension = {
    reason: row.suspended_reason ?? '',
    since: new Date(row.suspended_at).toISOString(),
    ...(row.suspended_until !== null && { until: new Date(row.suspended_until).toISOString() }),
  }
  return isInEffect(suspension, now) ? suspension : undefined
}
