import type { Endpoint, RequestOf, ResponseOf } from '@innkeeper/contract/endpoint'
import { request } from './request.ts'
import { type ActionOptions, useAction } from './use-action.ts'
import type { Condition } from './versions.ts'

/** `useAction` for one endpoint. A change with a `condition` does not overwrite another version. */
export function useApiMutation<E extends Endpoint>(
  endpoint: E,
  { onSuccess, handleError, ...options }: ActionOptions<RequestOf<E> | undefined, ResponseOf<E>> = {},
) {
  interface Variables {
    readonly input: RequestOf<E> | undefined
    readonly condition: Condition | undefined
  }
  const { mutate, mutateAsync, isPending } = useAction<Variables, ResponseOf<E>>(
    ({ input, condition }) => request(endpoint, input, condition && { condition }),
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
    mutate: (input?: RequestOf<E>, condition?: Condition) => mutate({ input, condition }),
    mutateAsync: (input?: RequestOf<E>, condition?: Condition) => mutateAsync({ input, condition }),
  }
}
