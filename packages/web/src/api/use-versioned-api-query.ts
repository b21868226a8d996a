import type { Endpoint, RequestOf, ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { requestVersioned } from './request.ts'
import { type ApiQueryOptions, getQueryKey } from './use-api-query.ts'
import type { VersionedResponse } from './versions.ts'

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
