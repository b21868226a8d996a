import { Readable, Transform } from 'node:stream'
import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import { refusalFrom, toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { type NodeResponse, readText } from '../nodes/client/node-response.ts'

/** Error bodies are small; a longer one is an error of the node. */
const maxErrorBytes = 64 * 1024
/** No response but files is as long. A browser would read an endless one until it has no memory left. */
const maxDataBytes = 64 * 1024 * 1024

/** Response headers to return beside those that an endpoint declares. */
const responseHeaders = ['content-type', 'content-length', 'content-disposition', 'content-encoding', 'retry-after']

/** Files are always downloaded and never displayed, whatever headers the node sends. */
const downloadHeaders = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
} as const

const jsonType = 'application/json; charset=utf-8'

interface ForwardedCall {
  readonly call: Pick<Endpoint, 'method' | 'stream' | 'responseHeaders'>
  readonly server: string
  /** Whether older nodes do not have the endpoint, which itself is never missing anything. */
  readonly isNew?: boolean
}

/** What a user gets of a node's response; `refusal` is the error in it. */
export interface ForwardedResponse extends NodeResponse {
  readonly refusal?: Refusal | undefined
}

/**
 * Reduces the response of a node to what a user may get from one: the body of the endpoint, or an error of the
 * contract.
 * @throws ErrServiceNotAvailable for a response that no endpoint has
 */
export async function forwardedResponse(
  { call, server, isNew = false }: ForwardedCall,
  response: NodeResponse,
): Promise<ForwardedResponse> {
  const { status } = response
  // A ticket rejected by the node must not log the user out, and redirects of nodes are not followed.
  if (status === 401 || status < 200 || status > 599 || (status >= 300 && status < 400 && status !== 304)) {
    response.body.resume()
    throw unexpected(`The node responded with ${status}.`)
  }
  const headers = getHeaders(response, call, server)
  if (status >= 400 && call.method !== 'HEAD') return await errorResponse(response, headers, isNew)
  if (call.stream === 'response') return { ...response, headers: asDownload(headers) }
  return { ...response, headers: asData(headers), body: boundedBody(response) }
}

/** The error of a node in the format of the contract. */
async function errorResponse(
  { status, body }: NodeResponse,
  headers: Headers,
  isNew: boolean,
): Promise<ForwardedResponse> {
  const late = setTimeout(() => body.destroy(new Error('The node did not complete its response.')), limits.nodeCallMs)
  const text = await readText(body, maxErrorBytes)
    .catch((cause: unknown) => {
      throw new Refusal('ErrServiceNotAvailable', {}, { cause })
    })
    .finally(() => clearTimeout(late))
  const reported = refusalFrom(parseJsonOrUndefined(text), status)
  if (!reported) throw unexpected(`The node responded with ${status} and no error of its own.`)
  const isUnknown = isNew && reported.code === 'ErrNotFound'
  const refusal = isUnknown ? new Refusal('ErrNodeOutdated', {}, { cause: reported }) : reported
  const bytes = Buffer.from(JSON.stringify(toEnvelope(refusal)))
  const described = { 'content-type': jsonType, 'content-length': String(bytes.length) }
  return {
    status: isUnknown ? refusal.status : status,
    headers: { ...withoutBody(headers), ...described },
    body: Readable.from([bytes]),
    refusal,
  }
}

type Headers = Record<string, string>

/** The headers with these names, and those that an endpoint declares. */
export function pickHeaders(
  headers: NodeResponse['headers'],
  always: readonly string[],
  declared: Endpoint['headers'] = {},
): Headers {
  const names = [...always, ...Object.keys(declared).map((name) => name.toLowerCase())]
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
  )
}

function getHeaders({ headers }: NodeResponse, call: ForwardedCall['call'], server: string): Headers {
  const picked = pickHeaders(headers, responseHeaders, call.responseHeaders)
  // Clients send the bytes of an upload there, with their credentials.
  if (!picked.location?.startsWith(`/proxy/daemon/server/${server}/`)) delete picked.location
  return picked
}

/** A file name without folders, as `contentDisposition` writes it. */
const attachment = /^attachment; filename="[^"/\\]*"(; filename\*=UTF-8''((?!%2f|%5c)[\w.~!$&+^`|%-])*)?$/i

function asDownload(headers: Headers): Headers {
  if (headers['content-type']?.startsWith('application/json')) return { ...headers, ...downloadHeaders }
  const disposition = headers['content-disposition'] ?? ''
  return {
    ...headers,
    ...downloadHeaders,
    'content-type': 'application/octet-stream',
    'content-disposition': attachment.test(disposition) ? disposition : 'attachment',
  }
}

/** Everything that is not a file is JSON. */
function asData({ 'content-disposition': _, ...headers }: Headers): Headers {
  return headers['content-type'] === undefined ? headers : { ...headers, 'content-type': jsonType }
}

/** The body, which breaks off when it is too long. */
function boundedBody({ headers, body }: NodeResponse): Readable {
  const length = headers['content-length']
  if (length !== undefined && Number(length) <= maxDataBytes) return body
  let bytes = 0
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      done(bytes > maxDataBytes ? new Error('The response of the node is too long.') : null, chunk)
    },
  })
  return body
    .on('error', (error) => bounded.destroy(error))
    .pipe(bounded)
    .once('close', () => body.destroy())
}

function withoutBody({
  'content-type': _type,
  'content-length': _length,
  'content-encoding': _encoding,
  'content-disposition': _disposition,
  ...headers
}: Headers): Headers {
  return headers
}

const unexpected = (message: string) => new Refusal('ErrServiceNotAvailable', {}, { cause: new Error(message) })
