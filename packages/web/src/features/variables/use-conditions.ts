import type { evaluateOrTrue } from '@innkeeper/contract/conditions'
import type { VariableGroup } from '@innkeeper/contract/definition'
import type { Refusal } from '@innkeeper/contract/refusals'
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
    queryFn: async () => (await import('@innkeeper/contract/conditions')).evaluateOrTrue,
    ...(!isNeeded && { initialData: () => alwaysTrue }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
}
