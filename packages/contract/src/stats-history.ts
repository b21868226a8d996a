import { z } from 'zod'
import { nodeCall } from './call.ts'
import { ServerId } from './names.ts'

/** How far back the statistics of a server go, with the time that one point stands for. */
export const statsRanges = {
  hour: { stepMs: 3_000, points: 1_200 },
  day: { stepMs: 60_000, points: 1_440 },
  month: { stepMs: 30 * 60_000, points: 1_488 },
  year: { stepMs: 6 * 60 * 60_000, points: 1_464 },
} as const
export type StatsRange = keyof typeof statsRanges

/** What a server used at each point, the oldest first; `null` where it did not run or nobody measured. */
const Values = z.array(z.number().nullable())

/**
 * The statistics of a range up to now: averages of each point's time, and what was the most in it. CPU in percent of one
 * core, memory in bytes, disk and network in bytes a second. What the environment cannot tell is left out.
 */
export const getStatsHistory = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/stats/history',
  access: { onServer: 'viewServerStats' },
  params: z.object({ id: ServerId }),
  query: z.object({ range: z.enum(['hour', 'day', 'month', 'year']) }),
  answer: z.object({
    /** When the first point begins, epoch milliseconds. */
    fromMs: z.number(),
    stepMs: z.number(),
    cpu: Values,
    cpuPeak: Values,
    memory: Values,
    memoryPeak: Values,
    diskRead: Values.optional(),
    diskWrite: Values.optional(),
    networkIn: Values.optional(),
    networkOut: Values.optional(),
  }),
})
