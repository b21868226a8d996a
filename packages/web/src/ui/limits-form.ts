import type { Environment, ServerLimits } from '@innkeeper/contract/definition'

/** The limits of the form, in the order of its fields. */
export const limitNames = ['memory', 'cpu', 'processes', 'disk'] as const
export type LimitName = (typeof limitNames)[number]

/** The values of the inputs: empty for no limit. */
export type LimitsForm = Readonly<Record<LimitName, number | ''>>

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
  const { memory: _, cpu: __, processes: ___, disk: ____, ...others } = environment.limits ?? {}
  const set = Object.fromEntries(Object.entries(form).filter(([, limit]) => limit !== ''))
  const limits: ServerLimits = {
    memory: undefined,
    cpu: undefined,
    processes: undefined,
    disk: undefined,
    ...others,
    ...set,
  }
  return { ...environment, limits }
}
