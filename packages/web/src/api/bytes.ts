import { type Call, type Given, panelUrlOf } from '@innkeeper/contract/call'
import { Refusal } from '@innkeeper/contract/refusals'
import { truncated, withRecord } from './record.ts'
import { announceLostSession, partsOf, refusalOf } from './request.ts'
import { sessionToken } from './token.ts'

/** The answer to bytes that were sent: what of it anybody asks for. */
export interface SentAnswer {
  readonly status: number
  readonly text: string
  readonly header: (name: string) => string | null
}

interface Sending {
  readonly method: string
  readonly url: string
  readonly body: XMLHttpRequestBodyInit | null
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Hears how many bytes have gone out. */
  readonly onProgress?: (sent: number) => void
}

/**
 * Sends bytes and says how far it is, which `fetch` does not. The bearer token is the one of this moment. Resolves with
 * whatever was answered; rejects when nothing was, or with the reason of `signal`.
 */
export function post({ method, url, body, headers = {}, signal, onProgress }: Sending): Promise<SentAnswer> {
  const token = sessionToken()
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
      announceLostSession(request.status, token)
      const header = (name: string) => request.getResponseHeader(name)
      resolve({ status: request.status, text: request.responseText, header })
    }
    request.onerror = () => reject(unanswered(method, url, token))
    request.onabort = () => reject(signal?.reason ?? new DOMException('aborted', 'AbortError'))
    request.send(body)
  })
}

/** Makes a call whose body is bytes, and answers the headers of the answer. Every failure is a `Refusal`. */
export async function sendBytes<C extends Call>(
  call: C,
  given: Given<C>,
  body: XMLHttpRequestBodyInit,
  options: Pick<Sending, 'headers' | 'signal' | 'onProgress'> = {},
): Promise<Pick<SentAnswer, 'header'>> {
  const url = panelUrlOf(call, partsOf(given))
  const answer = await post({ ...options, method: call.method, url, body })
  if (answer.status >= 300) throw refusalOfAnswer(call.method, url, answer)
  return answer
}

/** The refusal that an answer is, with the record that explains it. */
export function refusalOfAnswer(method: string, url: string, { status, text }: SentAnswer): Refusal {
  return withRecord(refusalOf(status, text), recordFor(method, url, status, sessionToken()))
}

/** Makes a call that answers bytes. Every failure is a `Refusal`. */
export async function receiveBytes<C extends Call>(
  call: C,
  given: Given<C>,
  { signal, headers = {} }: { readonly signal?: AbortSignal; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Response> {
  const url = panelUrlOf(call, partsOf(given))
  const token = sessionToken()
  const response = await fetch(url, {
    method: call.method,
    signal: signal ?? null,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    throw unanswered(call.method, url, token, cause)
  })
  if (response.ok) return response
  announceLostSession(response.status, token)
  const text = await response.text()
  throw withRecord(refusalOf(response.status, text), recordFor(call.method, url, response.status, token))
}

function unanswered(method: string, url: string, token: string | undefined, cause?: unknown): Refusal {
  return withRecord(new Refusal('ErrServiceNotAvailable', {}, { cause }), recordFor(method, url, 0, token))
}

function recordFor(method: string, path: string, status: number, token: string | undefined) {
  const authorization = token === undefined ? {} : { authorization: truncated(`Bearer ${token}`) }
  return { method, path, status, at: Date.now(), ...authorization }
}
