import type { AnswerOf, Call, Given } from '@innkeeper/contract/call'
import type { Refusal } from '@innkeeper/contract/refusals'
import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { request, requestWithResponse } from './request.ts'

export type ApiQueryOptions<A> = Omit<UseQueryOptions<A, Refusal, A>, 'queryKey' | 'queryFn'>

/** Where the query cache keeps the answer of a call; without `given`, the answers of that call to anything. */
export function getQueryKey<C extends Call>(call: C, input?: Given<C>): readonly unknown[] {
  return input === undefined ? [call.method, call.path] : [call.method, call.path, input]
}

/** The answer of a call, kept in the query cache and asked again by its rules. */
export function useApiQuery<C extends Call>(
  call: C,
  input?: Given<C>,
  options: ApiQueryOptions<AnswerOf<C>> = {},
): UseQueryResult<AnswerOf<C>, Refusal> {
  return useQuery<AnswerOf<C>, Refusal, AnswerOf<C>>({
    ...options,
    queryKey: getQueryKey(call, input),
    queryFn: ({ signal }) => request(call, input, { signal }),
  })
}

/** An answer, and the version (`ETag`) that it has; a panel or node of an older release gives none. */
export interface VersionedAnswer<A> {
  readonly answer: A
  readonly version: string | undefined
}

/** Like `useCall`, with the version that a change of the answer has to name. */
export function useVersionedApiQuery<C extends Call>(
  call: C,
  input?: Given<C>,
  options: ApiQueryOptions<VersionedAnswer<AnswerOf<C>>> = {},
): UseQueryResult<VersionedAnswer<AnswerOf<C>>, Refusal> {
  return useQuery<VersionedAnswer<AnswerOf<C>>, Refusal, VersionedAnswer<AnswerOf<C>>>({
    ...options,
    queryKey: [...getQueryKey(call, input), 'versioned'],
    queryFn: async ({ signal }) => {
      const { answer, headers } = await requestWithResponse(call, input, { signal })
      return { answer, version: getVersion(headers) }
    },
  })
}

/** The version in the headers of an answer. A proxy that compresses calls it weak; it is the same one. */
export function getVersion(headers: Pick<Headers, 'get'>): string | undefined {
  return headers.get('etag')?.replace(/^W\//, '') ?? undefined
}

/** The headers of a change that must not overwrite another version than this one. */
export function ifMatch(version: string | undefined): Readonly<Record<string, string>> {
  return version === undefined ? {} : { 'if-match': version }
}

/** Asks a query again and answers what came. @throws what the call was refused with */
export async function refetchOrThrow<A>(query: Pick<UseQueryResult<A, Refusal>, 'refetch'>): Promise<A> {
  const { data } = await query.refetch({ throwOnError: true })
  if (data === undefined) throw new Error('a query that was asked again has no answer')
  return data
}
