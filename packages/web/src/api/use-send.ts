import type { AnswerOf, Call, Given } from '@innkeeper/contract/call'
import type { Refusal } from '@innkeeper/contract/refusals'
import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useCallback } from 'react'
import { request } from './request.ts'
import { keyOf } from './use-call.ts'

/** Shows a person why something was refused; `again` repeats it where that is safe. */
export type TellRefusal = (error: unknown, again?: () => void) => void

/** How refusals reach a person; the app provides it. */
export const TellRefusalContext = createContext<TellRefusal>(() => undefined)

export interface SendOptions {
  /** The caller shows refusals itself. */
  readonly quiet?: boolean
  /** Calls whose cached answers are asked again afterwards. */
  readonly refreshes?: readonly Call[]
}

interface Sending<C extends Call> {
  readonly given: Given<C> | undefined
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Makes a call that changes something. `send` answers what the call answers and rejects with the `Refusal`, after
 * having shown it unless `quiet`.
 */
export function useSend<C extends Call>(call: C, { quiet = false, refreshes = [] }: SendOptions = {}) {
  const queries = useQueryClient()
  const tell = use(TellRefusalContext)
  const { mutateAsync, isPending } = useMutation<AnswerOf<C>, Refusal, Sending<C>>({
    mutationFn: ({ given, headers }) => request(call, given, { headers }),
    onSuccess: async () => {
      await Promise.all(refreshes.map((stale) => queries.invalidateQueries({ queryKey: keyOf(stale) })))
      // The screen has the fresh answers before whoever sent goes on: else it would show the old ones once more.
      if (refreshes.length > 0) await new Promise<void>((told) => notifyManager.schedule(told))
    },
  })

  const send = useCallback(
    async (given?: Given<C>, headers: Readonly<Record<string, string>> = {}): Promise<AnswerOf<C>> => {
      try {
        return await mutateAsync({ given, headers })
      } catch (error) {
        // POST is not repeated: it may have happened already.
        const again = call.method === 'POST' ? undefined : () => void send(given, headers).catch(() => undefined)
        if (!quiet) tell(error, again)
        throw error
      }
    },
    [mutateAsync, call, quiet, tell],
  )
  return { send, pending: isPending }
}
