import { findUpstream, upstreamSetting } from '@innkeeper/contract/http/upstreams'
import { redactUrl } from '../network/fetch.ts'
import { FetchError } from '../network/fetch-error.ts'

/** An unexpected HTTP status. */
export class HttpStatusError extends Error {
  override readonly name = 'WrongAnswer'
  readonly status: number

  constructor(url: URL, status: number) {
    super(`${redactUrl(url)} responded with ${statusText(status)}`)
    this.status = status
  }
}

/** Adds what can be done to the error of an outside service. */
export function withMirrorHint(error: unknown, url: URL): unknown {
  const service = findUpstream(url.hostname)
  if (!service || !(error instanceof FetchError || error instanceof HttpStatusError)) return error
  const words = `Check that this node can reach ${url.hostname}, or set a mirror of it in ${upstreamSetting(service)}`
  const message = `${error.message.replace(/\.$/, '')}. ${words}`
  if (error instanceof FetchError) return new FetchError(error.problem, message, { cause: error })
  return new Error(message, { cause: error })
}

const statuses: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  410: 'Gone',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

const statusText = (status: number): string => `${status} ${statuses[status] ?? ''}`.trim()
