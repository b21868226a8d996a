import type { Environment, LimitName, LimitSettings, LimitVariable } from '@innkeeper/contract/definitions/definition'

/** The values of the inputs: empty for no limit. */
export type LimitsForm = Readonly<Record<LimitName, number | LimitVariable | ''>>

export const noLimits: LimitsForm = { memory: '', cpu: '', processes: '', disk: '' }

export function toLimitsForm({ limits }: Environment): LimitsForm {
  return {
    memory: limits?.memory ?? '',
    cpu: limits?.cpu ?? '',
    processes: limits?.processes ?? '',
    disk: limits?.disk ?? '',
  }
}

/** Sets the limits of the environment. Limits that the form does not show are kept. */
export function applyLimitsForm(environment: Environment, form: LimitsForm): Environment {
  const limits = Object.entries({ ...environment.limits, ...form }).filter(([, limit]) => limit !== '')
  if (limits.length > 0) return { ...environment, limits: Object.fromEntries(limits) as LimitSettings }
  const { limits: _, ...unlimited } = environment
  return unlimited
}
