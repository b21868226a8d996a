import { z } from 'zod/mini'
import { nodeEndpoint } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'

/** What a node has done about a server that did not respond: nothing, or nothing because of the limit of restarts. */
export const livenessActions = ['none', 'restart', 'limit'] as const
export type LivenessAction = (typeof livenessActions)[number]

/** A process of a server. Its threads are counted by state, as in `/proc`: `R` runs, `S` sleeps, `D` waits for a disk. */
export const ProcessThreads = z.object({
  pid: z.number(),
  name: z.string(),
  threads: z.record(z.string(), z.number()),
})
export type ProcessThreads = z.infer<typeof ProcessThreads>

const reportFields = {
  id: z.string(),
  /** ISO 8601. */
  at: z.string(),
  /** When the first of the failures in a row was, ISO 8601. */
  since: z.string(),
  /** The type of the check that failed; nodes may know more types. */
  reason: z.string(),
  action: z.catch(z.enum(livenessActions), 'none'),
}

/** Reports about a server that did not respond, newest first. The last few are kept. */
export const listLivenessReports = nodeEndpoint('GET', '/daemon/server/:id/liveness', {
  access: { onServer: 'viewServerConsole' },
  response: z.array(z.object(reportFields)),
})
export type LivenessReportSummary = z.infer<typeof listLivenessReports.response>[number]

/** What was found out about a server when it did not respond. */
export const LivenessReport = z.object({
  ...reportFields,
  /** The results of its checks, in English. */
  checks: z.array(z.object({ type: z.string(), detail: z.string() })),
  /** CPU in percent of one core, memory and its maximum in bytes. */
  usage: z.object({ cpu: z.number(), memory: z.number(), memoryMax: z.number() }),
  processes: z.array(ProcessThreads),
  /** The last lines on its console, without colors. */
  lines: z.string(),
  /** The stacks of its threads, of a JVM that prints them. */
  threadDump: z.optional(z.string()),
})
export type LivenessReport = z.infer<typeof LivenessReport>

export const getLivenessReport = nodeEndpoint('GET', '/daemon/server/:id/liveness/:report', {
  access: { onServer: 'viewServerConsole' },
  params: z.extend(OnServer, { report: z.string().check(z.regex(/^\d{1,15}$/)) }),
  response: LivenessReport,
})
