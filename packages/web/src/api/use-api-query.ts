import type { Endpoint, RequestOf, ResponseOf } from '@innkeeper/contract/endpoint'
import type { Refusal } from '@innkeeper/contract/refusals'
import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { request, requestWithResponse } from './request.ts'

export type ApiQueryOptions<A> = Omit<UseQueryOptions<A, Refusal, A>, 'queryKey' | 'queryFn'>

/** The query key of an endpoint; without `input`, the prefix of all its keys. */
export function getQueryKey<C extends Endpoint>(endpoint: C, input?: RequestOf<C>): readonly unknown[] {
  return input === undefined ? [endpoint.method, endpoint.path] : [endpoint.method, endpoint.path, input]
}

/** `useQuery` for an endpoint. */
export function useApiQuery<C extends Endpoint>(
  endpoint: C,
  input?: RequestOf<C>,
  options: ApiQueryOptions<ResponseOf<C>> = {},
): UseQueryResult<ResponseOf<C>, Refusal> {
  return useQuery<ResponseOf<C>, Refusal, ResponseOf<C>>({
    ...options,
    queryKey: getQueryKey(endpoint, input),
    queryFn: ({ signal }) => request(endpoint, input, { signal }),
  })
}

/** A response with its version (`ETag`), which older releases do not send. */
export interface VersionedResponse<A> {
  readonly response: A
  readonly version: string | undefined
}

/** Like `useApiQuery`, with the version for `ifMatch`. */
export function useVersionedApiQuery<C extends Endpoint>(
  endpoint: C,
  input?: RequestOf<C>,
  options: ApiQueryOptions<VersionedResponse<ResponseOf<C>>> = {},
): UseQueryResult<VersionedResponse<ResponseOf<C>>, Refusal> {
  return useQuery<VersionedResponse<ResponseOf<C>>, Refusal, VersionedResponse<ResponseOf<C>>>({
    ...options,
    queryKey: [...getQueryKey(endpoint, input), 'versioned'],
    queryFn: async ({ signal }) => {
      const { response, headers } = await requestWithResponse(endpoint, input, { signal })
      return { response, version: getVersion(headers) }
    },
  })
}

/** The version in the headers of a response. A compressing proxy marks it as weak. */
export function getVersion(headers: Pick<Headers, 'get'>): string | undefined {
  return headers.get('etag')?.replace(/^W\//, '') ?? undefined
}

/** Headers of a change that must not overwrite any other version. */
export function ifMatch(version: string | undefined): Readonly<Record<string, string>> {
  return version === undefined ? {} : { 'if-match': version }
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
