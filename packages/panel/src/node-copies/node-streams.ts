import type { Readable } from 'node:stream'
import { Transform } from 'node:stream'
import { type Endpoint, getUrl } from '@innkeeper/contract/api/endpoint'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { type NodeClient, panelIdentity } from '../nodes/client/node-client.ts'
import { getRefusal, type NodeResponse, readText } from '../nodes/client/node-response.ts'

interface StreamRequest {
  readonly params: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readable
  readonly contentType?: string
  /** Timeout from the end of the body to the response; none without it. */
  readonly responseTimeoutMs?: number
}

/** Requests with streamed bodies from node to node. Nothing is stored in between. After the disposal none is open. */
export class NodeStreams implements Disposable {
  readonly #signal: AbortSignal
  readonly #aborts: AbortController[] = []
  readonly #onAbort = () => this.#abort()

  constructor(signal: AbortSignal) {
    signal.throwIfAborted()
    this.#signal = signal
    signal.addEventListener('abort', this.#onAbort)
  }

  /** Sends a request as the panel. The caller reads the body of the response. Throws the refusal of the node. */
  async send(
    client: NodeClient,
    endpoint: Endpoint,
    { params, query, body, contentType, responseTimeoutMs }: StreamRequest,
  ): Promise<NodeResponse> {
    const abort = new AbortController()
    this.#aborts.push(abort)
    const response = await client.proxy(panelIdentity, {
      method: endpoint.method,
      path: getUrl(endpoint, { params, ...(query && { query }) }),
      headers: contentType === undefined ? {} : { 'content-type': contentType },
      body,
      responseTimeoutMs,
      abort,
    })
    if (response.status >= 300) throw await refusalIn(response)
    return response
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#abort()
  }

  #abort(): void {
    for (const abort of this.#aborts) abort.abort(this.#signal.reason)
  }
}

/** Passes a body on and counts its bytes. When the body breaks, so does what reads it. */
export function counted(body: Readable, onBytes: (bytes: number) => void): Readable {
  let bytes = 0
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      onBytes(bytes)
      done(null, chunk)
    },
  })
  // A source that breaks must break the target too, or it would keep a part of the files.
  body.on('error', (error) => counter.destroy(error))
  return body.pipe(counter)
}

async function refusalIn({ status, body }: NodeResponse): Promise<Refusal> {
  const text = await readText(body)
  return getRefusal(status, text === '' ? undefined : JSON.parse(text))
}
