import type { Refusal } from '@innkeeper/contract/errors/refusals'
import type { UseQueryResult } from '@tanstack/react-query'

/** Two queries as one: it has data when both have. */
export function combineQueries<A, B>(first: UseQueryResult<A, Refusal>, second: UseQueryResult<B, Refusal>) {
  return {
    data: first.data === undefined || second.data === undefined ? undefined : ([first.data, second.data] as const),
    dataUpdatedAt: Math.min(first.dataUpdatedAt, second.dataUpdatedAt),
    error: first.error ?? second.error,
    isPending: first.isPending || second.isPending,
    refetch: () => Promise.all([first.refetch(), second.refetch()]),
  }
}

/** Refetches a query and returns its data. Rejects with the error of the call. */
export async function refetchOrThrow<A>(query: Pick<UseQueryResult<A, Refusal>, 'refetch'>): Promise<A> {
  const { data } = await query.refetch({ throwOnError: true })
  if (data === undefined) throw new Error('a refetched query has no data')
  return data
}
