import type { EvaluationContext } from '@innkeeper/contract/conditions'
import type { VariableGroup } from '@innkeeper/contract/definition'
import { useQuery } from '@tanstack/react-query'

/** Evaluates the conditions of groups. The evaluator is loaded only when a group has a condition. */
export function useConditions(groups: readonly VariableGroup[]) {
  const evaluator = useQuery({
    queryKey: ['conditions'],
    queryFn: async () => (await import('@innkeeper/contract/conditions')).evaluateOrTrue,
    enabled: groups.some((group) => group.if?.trim()),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return {
    isLoading: evaluator.isLoading,
    /** A group whose condition cannot be evaluated is visible. */
    isVisible: (group: VariableGroup, context: EvaluationContext): boolean =>
      evaluator.data?.(group.if, context) ?? true,
  }
}
