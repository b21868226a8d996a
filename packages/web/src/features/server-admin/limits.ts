import { environmentOf, type ServerDefinition, type ServerLimits } from '@innkeeper/contract/definition'

/** What the form limits, in the order of its fields. */
export const limitNames = ['memory', 'cpu', 'processes'] as const
export type LimitName = (typeof limitNames)[number]

/** As typed: empty for no limit. */
export type LimitsForm = Readonly<Record<LimitName, number | ''>>

export function limitsOf(definition: ServerDefinition): LimitsForm {
  const limits = environmentOf(definition).limits
  return { memory: limits?.memory ?? '', cpu: limits?.cpu ?? '', processes: limits?.processes ?? '' }
}

/** The definition with these limits; limits that the form does not show stay. */
export function withLimits(definition: ServerDefinition, form: LimitsForm): ServerDefinition {
  const environment = environmentOf(definition)
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
  return { ...definition, environment: { ...environment, limits } }
}
