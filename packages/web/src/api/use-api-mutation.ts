import type { Endpoint, RequestOf, ResponseOf } from '@innkeeper/contract/endpoint'
import type { Refusal } from '@innkeeper/contract/refusals'
import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useCallback } from 'react'
import { request } from './request.ts'
import { getQueryKey } from './use-api-query.ts'

/** Shows an error to the user. `retry` repeats the call, where that is safe. */
export type ShowError = (error: unknown, retry?: () => void) => void

/** Provided by the app. */
export const ShowErrorContext = createContext<ShowError>(() => undefined)

export interface ApiMutationOptions<C extends Endpoint> {
  /** The caller shows errors itself. */
  readonly silent?: boolean
  /** Queries of these endpoints are refetched afterwards. */
  readonly invalidates?: readonly Endpoint[]
  /** Runs after the stale queries have been refetched. */
  readonly onSuccess?: (response: ResponseOf<C>) => void
}

interface MutationVariables<C extends Endpoint> {
  readonly input: RequestOf<C> | undefined
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Makes a call that changes something. An error is shown to the user, unless `silent`. `mutateAsync` resolves with the
 * response and rejects with the `Refusal`; `mutate` is for callers that do nothing afterwards.
 */
export function useApiMutation<C extends Endpoint>(
  endpoint: C,
  { silent = false, invalidates = [], onSuccess }: ApiMutationOptions<C> = {},
) {
  const queries = useQueryClient()
  const showError = use(ShowErrorContext)
  const { mutateAsync: execute, isPending } = useMutation<ResponseOf<C>, Refusal, MutationVariables<C>>({
    mutationFn: ({ input, headers }) => request(endpoint, input, { headers }),
    onSuccess: async (response) => {
      await Promise.all(invalidates.map((stale) => queries.invalidateQueries({ queryKey: getQueryKey(stale) })))
      // Wait until the new responses are rendered, so that the caller does not see the former ones again.
      if (invalidates.length > 0) await new Promise<void>((resolve) => notifyManager.schedule(resolve))
      onSuccess?.(response)
    },
  })

  const mutateAsync = useCallback(
    async (input?: RequestOf<C>, headers: Readonly<Record<string, string>> = {}): Promise<ResponseOf<C>> => {
      try {
        return await execute({ input, headers })
      } catch (error) {
        // POST is not idempotent.
        const retry =
          endpoint.method === 'POST' ? undefined : () => void mutateAsync(input, headers).catch(() => undefined)
        if (!silent) showError(error, retry)
        throw error
      }
    },
    [execute, endpoint, silent, showError],
  )
  const mutate = useCallback(
    (...args: Parameters<typeof mutateAsync>) => void mutateAsync(...args).catch(() => undefined),
    [mutateAsync],
  )
  return { mutate, mutateAsync, isPending }
}
