import { type Endpoint, getPanelUrl, type RequestOf } from '@innkeeper/contract/api/endpoint'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { attachRequestDetails, notifySessionLost, parseRefusal, redactToken, requestParts } from './request.ts'
import { getSessionToken } from './token.ts'

/** The response to an upload. */
export interface XhrResponse {
  readonly status: number
  readonly text: string
  readonly header: (name: string) => string | null
}

interface XhrOptions {
  readonly method: string
  readonly url: string
  readonly body: XMLHttpRequestBodyInit | null
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Called with the number of bytes sent. */
  readonly onProgress?: (sent: number) => void
}

/**
 * Sends bytes with progress events, which `fetch` does not have. Resolves with any response, also of an error; rejects
 * if there is none, or with the reason of `signal`.
 */
function xhrUpload({ method, url, body, headers = {}, signal, onProgress }: XhrOptions): Promise<XhrResponse> {
  const token = getSessionToken()
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open(method, url)
    if (token !== undefined) request.setRequestHeader('authorization', `Bearer ${token}`)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    if (onProgress) request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    const stop = () => request.abort()
    signal?.addEventListener('abort', stop, { once: true })
    request.onloadend = () => signal?.removeEventListener('abort', stop)
    request.onload = () => {
      notifySessionLost(request.status, token)
      const header = (name: string) => request.getResponseHeader(name)
      resolve({ status: request.status, text: request.responseText, header })
    }
    request.onerror = () => reject(unreachableError(method, url, token))
    request.onabort = () => reject(signal?.reason ?? new DOMException('aborted', 'AbortError'))
    request.send(body)
  })
}

/** Makes an API call with bytes as its body, and returns the response headers. Every failure is a `Refusal`. */
export async function uploadBytes<C extends Endpoint>(
  endpoint: C,
  input: RequestOf<C>,
  body: XMLHttpRequestBodyInit,
  options: Pick<XhrOptions, 'headers' | 'signal' | 'onProgress'> = {},
): Promise<Pick<XhrResponse, 'header'>> {
  const url = getPanelUrl(endpoint, requestParts(input))
  const response = await xhrUpload({ ...options, method: endpoint.method, url, body })
  if (response.status >= 300) throw toRefusal(endpoint.method, url, response)
  return response
}

/** Converts an error response to a `Refusal` with request details. */
export function toRefusal(
  method: string,
  url: string,
  { status, text }: Pick<XhrResponse, 'status' | 'text'>,
): Refusal {
  return attachRequestDetails(parseRefusal(status, text), requestDetails(method, url, status, getSessionToken()))
}

/** Makes an API call that returns bytes. Every failure is a `Refusal`. */
export async function downloadBytes<C extends Endpoint>(
  endpoint: C,
  input: RequestOf<C>,
  { signal, headers = {} }: { readonly signal?: AbortSignal; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const url = getPanelUrl(endpoint, requestParts(input))
  const token = getSessionToken()
  const response = await fetch(url, {
    method: endpoint.method,
    signal: signal ?? null,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw unreachableError(endpoint.method, url, token, cause)
  })
  if (response.ok) return response
  notifySessionLost(response.status, token)
  const text = await response.text()
  throw attachRequestDetails(
    parseRefusal(response.status, text),
    requestDetails(endpoint.method, url, response.status, token),
  )
}

/** The error of a request that got no response. */
export function unreachableError(method: string, url: string, token: string | undefined, cause?: unknown): Refusal {
  return attachRequestDetails(
    new Refusal('ErrServiceNotAvailable', {}, { cause }),
    requestDetails(method, url, 0, token),
  )
}

function requestDetails(method: string, path: string, status: number, token: string | undefined) {
  const authorization = token === undefined ? {} : { authorization: redactToken(`Bearer ${token}`) }
  return { method, path, status, timestamp: Date.now(), ...authorization }
}
