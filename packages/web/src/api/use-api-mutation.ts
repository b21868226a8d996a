import type { Endpoint, RequestOf, ResponseOf } from '@innkeeper/contract/api/endpoint'
import { request } from './request.ts'
import { type ActionOptions, useAction } from './use-action.ts'
import type { Precondition } from './versions.ts'

/** `useAction` for one endpoint. A change with a `precondition` does not overwrite another version. */
export function useApiMutation<E extends Endpoint>(
  endpoint: E,
  { onSuccess, handleError, ...options }: ActionOptions<RequestOf<E> | undefined, ResponseOf<E>> = {},
) {
  interface Variables {
    readonly input: RequestOf<E> | undefined
    readonly precondition: Precondition | undefined
  }
  const { mutate, mutateAsync, isPending } = useAction<Variables, ResponseOf<E>>(
    ({ input, precondition }) => request(endpoint, input, precondition && { precondition }),
    {
      ...options,
      // POST is not idempotent.
      canRetry: endpoint.method !== 'POST',
      onSuccess: (response, { input }) => onSuccess?.(response, input),
      handleError: (error, { input }) => handleError?.(error, input) ?? false,
    },
  )
  return {
    isPending,
    mutate: (input?: RequestOf<E>, precondition?: Precondition) => mutate({ input, precondition }),
    mutateAsync: (input?: RequestOf<E>, precondition?: Precondition) => mutateAsync({ input, precondition }),
  }
}
