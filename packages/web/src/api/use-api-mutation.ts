import type { AnswerOf, Call, Given } from '@innkeeper/contract/call'
import type { Refusal } from '@innkeeper/contract/refusals'
import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useCallback } from 'react'
import { request } from './request.ts'
import { getQueryKey } from './use-api-query.ts'

/** Shows a person why something was refused; `again` repeats it where that is safe. */
export type ShowError = (error: unknown, retry?: () => void) => void

/** How refusals reach a person; the app provides it. */
export const ShowErrorContext = createContext<ShowError>(() => undefined)

export interface ApiMutationOptions {
  /** The caller shows refusals itself. */
  readonly silent?: boolean
  /** Calls whose cached answers are asked again afterwards. */
  readonly invalidates?: readonly Call[]
}

interface MutationVariables<C extends Call> {
  readonly input: Given<C> | undefined
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Makes a call that changes something. An error is shown to the user, unless `silent`. `mutateAsync` resolves with the
 * answer and rejects with the `Refusal`; `mutate` is for callers that do nothing afterwards.
 */
export function useApiMutation<C extends Call>(call: C, { silent = false, invalidates = [] }: ApiMutationOptions = {}) {
  const queries = useQueryClient()
  const showError = use(ShowErrorContext)
  const { mutateAsync: execute, isPending } = useMutation<AnswerOf<C>, Refusal, MutationVariables<C>>({
    mutationFn: ({ input, headers }) => request(call, input, { headers }),
    onSuccess: async () => {
      await Promise.all(invalidates.map((stale) => queries.invalidateQueries({ queryKey: getQueryKey(stale) })))
      // The screen has the fresh answers before whoever sent goes on: else it would show the old ones once more.
      if (invalidates.length > 0) await new Promise<void>((told) => notifyManager.schedule(told))
    },
  })

  const mutateAsync = useCallback(
    async (input?: Given<C>, headers: Readonly<Record<string, string>> = {}): Promise<AnswerOf<C>> => {
      try {
        return await execute({ input, headers })
      } catch (error) {
        // POST is not repeated: it may have happened already.
        const retry = call.method === 'POST' ? undefined : () => void mutateAsync(input, headers).catch(() => undefined)
        if (!silent) showError(error, retry)
        throw error
      }
    },
    [execute, call, silent, showError],
  )
  const mutate = useCallback(
    (...args: Parameters<typeof mutateAsync>) => void mutateAsync(...args).catch(() => undefined),
    [mutateAsync],
  )
  return { mutate, mutateAsync, isPending }
}
