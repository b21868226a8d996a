import type { evaluateOrTrue } from '@innkeeper/contract/definitions/conditions'
import type { VariableGroup } from '@innkeeper/contract/definitions/definition'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'

/** Whether a condition is met. */
export type EvaluateCondition = typeof evaluateOrTrue

const alwaysTrue: EvaluateCondition = () => true

/**
 * The function that evaluates the conditions of groups; `true` for a condition that cannot be evaluated. Its code is loaded
 * only when a group has a condition.
 */
export function useConditions(groups: readonly VariableGroup[] = []): UseQueryResult<EvaluateCondition, Refusal> {
  const isNeeded = groups.some((group) => group.if?.trim())
  return useQuery<EvaluateCondition, Refusal>({
    queryKey: ['conditions', isNeeded],
    queryFn: async () => (await import('@innkeeper/contract/definitions/conditions')).evaluateOrTrue,
    ...(!isNeeded && { initialData: () => alwaysTrue }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
}
