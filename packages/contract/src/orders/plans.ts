import { z } from 'zod/mini'
import { endpoint, etag, ifMatch } from '../api/endpoint.ts'
import { BackupRetention } from '../backups/backup-retention.ts'
import { VariableValue } from '../definitions/variables.ts'
import { NodeLabels } from '../nodes/placement.ts'
import { limits } from '../text/limits.ts'
import { TemplateName, VariableName } from '../text/names.ts'

/** The ID of a plan: `minecraft-4g`. */
export const PlanName = z.string().check(z.maxLength(64), z.regex(/^[0-9a-z][0-9a-z-]*$/))

const Limit = z.optional(z.int().check(z.minimum(1), z.maximum(1_000_000_000)))

/** What a server of an order gets. */
export const Plan = z.strictObject({
  template: TemplateName,
  /** In the units of a definition: MiB, percent of one core, MiB. A missing one is that of the template. */
  limits: z._default(z.strictObject({ memory: Limit, cpu: Limit, disk: Limit }), {}),
  /** How many ports a server has. Those beyond the ports of the template are variables named `additional_port_1` and so on. */
  ports: z.optional(z.int().check(z.minimum(1), z.maximum(limits.planPorts))),
  /** How many further ports its users may take; missing: the limit stays as it is. */
  extraPorts: z.optional(z.int().check(z.minimum(0), z.maximum(limits.extraPorts))),
  /** Number and space of backups; missing for the default of the node. */
  backups: z.optional(BackupRetention),
  /** The days that a server is kept, off and suspended, after the end of its order. */
  graceDays: z._default(z.int().check(z.minimum(0), z.maximum(limits.graceDaysMax)), 7),
  /** Values of variables of the template, for example the memory that the program takes. */
  variables: z._default(z.record(VariableName, VariableValue), {}),
  /** The node of orders that name none. Without it, the panel chooses one with all labels and enough room. */
  node: z.optional(z.int().check(z.minimum(0))),
  labels: z._default(NodeLabels, []),
})
export type Plan = z.output<typeof Plan>

const OnPlan = z.object({ name: PlanName })

/** By name. */
export const listPlans = endpoint('GET', '/api/plans', {
  access: { scope: 'servers.admin' },
  response: z.object({ plans: z.array(z.object({ name: PlanName, plan: Plan })) }),
})

export const getPlan = endpoint('GET', '/api/plans/:name', {
  access: { scope: 'servers.admin' },
  params: OnPlan,
  response: Plan,
  responseHeaders: etag,
})

/**
 * Creates or replaces a plan. Servers of orders get the change when their shop sends the order again. With `If-Match`
 * ErrStaleVersion.
 */
export const putPlan = endpoint('PUT', '/api/plans/:name', {
  access: { scope: 'servers.admin' },
  audit: 'plan.edit',
  params: OnPlan,
  body: Plan,
  headers: ifMatch,
  // The template may not exist.
  errorStatuses: [404],
})

/** Servers of its orders stay as they are. */
export const deletePlan = endpoint('DELETE', '/api/plans/:name', {
  access: { scope: 'servers.admin' },
  audit: 'plan.delete',
  params: OnPlan,
})
