import type { Environment, ServerLimits } from '@innkeeper/contract/definition'

/** What the form limits, in the order of its fields. */
export const limitNames = ['memory', 'cpu', 'processes'] as const
export type LimitName = (typeof limitNames)[number]

/** As typed: empty for no limit. */
export type LimitsForm = Readonly<Record<LimitName, number | ''>>

export const noLimits: LimitsForm = { memory: '', cpu: '', processes: '' }

export function toLimitsForm({ limits }: Environment): LimitsForm {
  return { memory: limits?.memory ?? '', cpu: limits?.cpu ?? '', processes: limits?.processes ?? '' }
}

/** The environment with these limits; limits that the form does not show stay. */
export function applyLimitsForm(environment: Environment, form: LimitsForm): Environment {
  const { memory: _, cpu: __, processes: ___, ...others } = environment.limits ?? {}
  const given = Object.fromEntries(Object.entries(form).filter(([, limit]) => limit !== ''))
  const limits: ServerLimits = {
    memory: undefined,
    cpu: undefined,
    processes: undefined,
    disk: undefined,
    ...others,
    ...given,
  }
  return { ...environment, limits }
}
