import type { Endpoint, RequestOf, ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { request } from './request.ts'

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
