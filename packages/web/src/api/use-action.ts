import type { Endpoint, RequestOf, ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query'
import { use } from 'react'
import { type Precondition, request } from './request.ts'
import { ShowErrorContext } from './show-error.ts'
import { getQueryKey } from './use-api.ts'

export interface ActionOptions<I, R> {
  /** Queries of these endpoints are refetched afterwards, also after an error that is shown. */
  readonly invalidates?: readonly Endpoint[]
  /** Runs after the stale queries have been refetched. */
  readonly onSuccess?: (result: R, input: I) => unknown
  /** Handles an error that is not to be shown; returns whether it did. */
  readonly handleError?: (error: unknown, input: I) => boolean
  /** Whether it is safe to repeat. */
  readonly canRetry?: boolean
}

/**
 * Work that changes or reads something once, of one or several requests. `mutate` shows its error to the user, and resolves
 * with whether it succeeded. `mutateAsync` is for forms, which show the error that it rejects with themselves.
 */
export function useAction<I = void, R = unknown>(
  run: (input: I) => Promise<R>,
  { invalidates = [], onSuccess, handleError, canRetry = false }: ActionOptions<I, R> = {},
) {
  const queries = useQueryClient()
  const showError = use(ShowErrorContext)
  const invalidate = () =>
    Promise.all(invalidates.map((endpoint) => queries.invalidateQueries({ queryKey: getQueryKey(endpoint) })))
  const { mutateAsync, isPending, variables } = useMutation<R, Refusal, I>({
    mutationFn: run,
    onSuccess: async (result, input) => {
      await invalidate()
      // Wait until the new responses are rendered, so that the caller does not see the former ones again.
      if (invalidates.length > 0) await new Promise<void>((resolve) => notifyManager.schedule(resolve))
      await onSuccess?.(result, input)
    },
  })

  const mutate = async (input: I): Promise<boolean> => {
    try {
      await mutateAsync(input)
      return true
    } catch (error) {
      // Another user may have changed what the error is about.
      void invalidate()
      if (!handleError?.(error, input)) showError(error, canRetry ? () => void mutate(input) : undefined)
      return false
    }
  }
  return { mutate, mutateAsync, isPending, /** What it is working on. */ pending: isPending ? variables : undefined }
}

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
