import { z } from 'zod/mini'
import { nodeEndpoint } from '../api/endpoint.ts'

/** Ranges of the statistics history, with the resolution of each. */
export const statsRanges = {
  hour: { stepMs: 3_000, points: 1_200 },
  day: { stepMs: 60_000, points: 1_440 },
  month: { stepMs: 30 * 60_000, points: 1_488 },
  year: { stepMs: 6 * 60 * 60_000, points: 1_464 },
} as const
export type StatsRange = keyof typeof statsRanges

/** Values at each point, oldest first; `null` when the server did not run or was not measured. */
const Values = z.array(z.nullable(z.number()))

/**
 * Statistics of a range up to now: average and maximum of each interval. CPU in percent of one core, memory in bytes,
 * disk and network in bytes per second. Values that the environment cannot measure are omitted, and so are players without
 * the permission to see them.
 */
export const getStatsHistory = nodeEndpoint('GET', '/daemon/server/:id/stats/history', {
  access: { onServer: 'viewServerStats' },
  query: z.object({ range: z.enum(['hour', 'day', 'month', 'year']) }),
  response: z.object({
    /** Start of the first interval, epoch milliseconds. */
    fromMs: z.number(),
    stepMs: z.number(),
    cpu: Values,
    cpuPeak: Values,
    memory: Values,
    memoryPeak: Values,
    diskRead: z.optional(Values),
    diskWrite: z.optional(Values),
    networkIn: z.optional(Values),
    networkOut: z.optional(Values),
    // Older nodes do not send them.
    players: z.optional(Values),
    playersPeak: z.optional(Values),
  }),
})
