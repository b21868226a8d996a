import type { Endpoint, RequestOf, ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { request, requestVersioned, type VersionedResponse } from './request.ts'

declare module '@tanstack/react-query' {
  interface Register {
    readonly queryMeta: {
      /** It is loaded again without a sign, such as by polling. */
      readonly quiet?: boolean
    }
  }
}

export type ApiQueryOptions<R, T = R> = Omit<UseQueryOptions<R, Refusal, T>, 'queryKey' | 'queryFn'>

/** The query key of an endpoint; without `input`, the prefix of all its keys. */
export function getQueryKey<E extends Endpoint>(endpoint: E, input?: RequestOf<E>): readonly unknown[] {
  return input === undefined ? [endpoint.method, endpoint.path] : [endpoint.method, endpoint.path, input]
}

/** `useQuery` for an endpoint. */
export function useApiQuery<E extends Endpoint, T = ResponseOf<E>>(
  endpoint: E,
  input?: RequestOf<E>,
  options: ApiQueryOptions<ResponseOf<E>, T> = {},
): UseQueryResult<T, Refusal> {
  return useQuery<ResponseOf<E>, Refusal, T>({
    ...options,
    queryKey: getQueryKey(endpoint, input),
    queryFn: ({ signal }) => request(endpoint, input, { signal }),
  })
}

/** Like `useApiQuery`, with the version for the precondition of a change. */
export function useVersionedApiQuery<E extends Endpoint, T = VersionedResponse<ResponseOf<E>>>(
  endpoint: E,
  input?: RequestOf<E>,
  options: ApiQueryOptions<VersionedResponse<ResponseOf<E>>, T> = {},
): UseQueryResult<T, Refusal> {
  return useQuery<VersionedResponse<ResponseOf<E>>, Refusal, T>({
    ...options,
    queryKey: [...getQueryKey(endpoint, input), 'versioned'],
    queryFn: ({ signal }) => requestVersioned(endpoint, input, { signal }),
  })
}

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
