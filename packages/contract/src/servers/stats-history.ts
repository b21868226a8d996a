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
export const StatsValues = z.array(z.nullable(z.number()))

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
    cpu: StatsValues,
    cpuPeak: StatsValues,
    memory: StatsValues,
    memoryPeak: StatsValues,
    diskRead: z.optional(StatsValues),
    diskWrite: z.optional(StatsValues),
    networkIn: z.optional(StatsValues),
    networkOut: z.optional(StatsValues),
    // Older nodes do not send them.
    players: z.optional(StatsValues),
    playersPeak: z.optional(StatsValues),
  }),
})

/** Days of `getUptime`. */
export const uptimeDays = 90

/**
 * The part of each of the last days (UTC) in which the server ran, from 0 to 1, oldest first, today last and so far; `null`
 * before anything was measured. While its node did not run, nothing was measured, which counts as not running.
 */
export const getUptime = nodeEndpoint('GET', '/daemon/server/:id/stats/uptime', {
  access: { onServer: 'viewServerStats' },
  response: z.object({
    /** Start of the first day, epoch milliseconds. */
    fromMs: z.number(),
    days: StatsValues,
  }),
})
