import type { AnswerOf, Call, Given } from '@innkeeper/contract/call'
import type { Refusal } from '@innkeeper/contract/refusals'
import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { exchange, request } from './request.ts'

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

/** An answer, and the version (`ETag`) that it has; a panel or node of an older release gives none. */
export interface VersionedAnswer<A> {
  readonly answer: A
  readonly version: string | undefined
}

/** Like `useCall`, with the version that a change of the answer has to name. */
export function useVersionedCall<C extends Call>(
  call: C,
  given?: Given<C>,
  options: CallOptions<VersionedAnswer<AnswerOf<C>>> = {},
): UseQueryResult<VersionedAnswer<AnswerOf<C>>, Refusal> {
  return useQuery<VersionedAnswer<AnswerOf<C>>, Refusal, VersionedAnswer<AnswerOf<C>>>({
    ...options,
    queryKey: [...keyOf(call, given), 'versioned'],
    queryFn: async ({ signal }) => {
      const { answer, headers } = await exchange(call, given, { signal })
      return { answer, version: versionIn(headers) }
    },
  })
}

/** The version in the headers of an answer. A proxy that compresses calls it weak; it is the same one. */
export function versionIn(headers: Pick<Headers, 'get'>): string | undefined {
  return headers.get('etag')?.replace(/^W\//, '') ?? undefined
}

/** The headers of a change that must not overwrite another version than this one. */
export function ifMatch(version: string | undefined): Readonly<Record<string, string>> {
  return version === undefined ? {} : { 'if-match': version }
}

/** Asks a query again and answers what came. @throws what the call was refused with */
export async function refetched<A>(query: Pick<UseQueryResult<A, Refusal>, 'refetch'>): Promise<A> {
  const { data } = await query.refetch({ throwOnError: true })
  if (data === undefined) throw new Error('a query that was asked again has no answer')
  return data
}
