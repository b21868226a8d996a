import type { Ground } from '@innkeeper/contract/conditions'
import type { VariableGroup } from '@innkeeper/contract/definition'
import { useQuery } from '@tanstack/react-query'

/** Judges the conditions of groups. What reads them is only loaded where a group has one. */
export function useConditions(groups: readonly VariableGroup[]) {
  const loading = useQuery({
    queryKey: ['conditions'],
    queryFn: async () => (await import('@innkeeper/contract/conditions')).mayHold,
    enabled: groups.some((group) => group.if?.trim()),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return {
    isLoading: loading.isLoading,
    /** Whether the group is there; one is rather shown than missed. */
    isThere: (group: VariableGroup, ground: Ground): boolean => loading.data?.(group.if, ground) ?? true,
  }
}
