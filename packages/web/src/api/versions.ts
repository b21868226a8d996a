import { parseVersion } from '@innkeeper/contract/api/endpoint'

/** A response with its version (`ETag`), which older releases do not send. */
export interface VersionedResponse<R> {
  readonly response: R
  /** The response as received, before validation. */
  readonly content: unknown
  readonly version: string | undefined
}

/** What a change requires: this version is still the current one, or nothing exists yet. Without a version, nothing. */
export type Precondition = { readonly version: string | undefined } | 'new'

/** The version in the headers of a response, without its quotes. */
export function getVersion(headers: Pick<Headers, 'get'>): string | undefined {
  return parseVersion(headers.get('etag') ?? undefined)
}

/** The headers of a change with this precondition: it fails with `ErrStaleVersion` or `ErrFileExists` otherwise. */
export function toPreconditionHeaders(precondition: Precondition): Readonly<Record<string, string>> {
  if (precondition === 'new') return { 'if-none-match': '*' }
  return precondition.version === undefined ? {} : { 'if-match': `"${precondition.version}"` }
}
