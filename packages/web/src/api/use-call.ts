import type { AnswerOf, Call, Given } from '@innkeeper/contract/call'
import type { Refusal } from '@innkeeper/contract/refusals'
import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { request } from './request.ts'

export type CallOptions<A> = Omit<UseQueryOptions<A, Refusal, A>, 'queryKey' | 'queryFn'>

/** Where the query cache keeps the answer of a call; without `given`, the answers of that call to anything. */
export function keyOf<C extends Call>(call: C, given?: Given<C>): readonly unknown[] {
  return given === undefined ? [call.method, call.path] : [call.method, call.path, given]
}

/** The answer of a call, kept in the query cache and asked again by its rules. */
export function useCall<C extends Call>(
  call: C,
  given?: Given<C>,
  options: CallOptions<AnswerOf<C>> = {},
): UseQueryResult<AnswerOf<C>, Refusal> {
  return useQuery<AnswerOf<C>, Refusal, AnswerOf<C>>({
    ...options,
    queryKey: keyOf(call, given),
    queryFn: ({ signal }) => request(call, given, { signal }),
  })
}
