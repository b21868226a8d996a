import { login } from '@innkeeper/contract/accounts/auth'
import { type Endpoint, getPanelUrl, type RequestOf, type ResponseOf } from '@innkeeper/contract/api/endpoint'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'

/** The result of a request. `status` is 0 when there was no complete response. */
export interface Reply<A> {
  readonly status: number
  readonly refusal: string | undefined
  readonly body: A
}

export interface Account {
  readonly email: string
  readonly username: string
  readonly password: string
}

/** An API client of one URL with an optional session. */
export class Client {
  readonly url: string
  readonly #token: string

  constructor(url: string, token = '') {
    this.url = url
    this.#token = token
  }

  /** The same session at another URL. */
  withUrl(url: string): Client {
    return new Client(url, this.#token)
  }

  async send<C extends Endpoint>(call: C, request: RequestOf<C>): Promise<Reply<ResponseOf<C>>> {
    const { body } = request as { body?: unknown }
    const headers: Record<string, string> = {}
    if (this.#token !== '') headers.authorization = `Bearer ${this.#token}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    try {
      const response = await fetch(this.url + getPanelUrl(call, request as Parameters<typeof getPanelUrl>[1]), {
        method: call.method,
        headers,
        signal: AbortSignal.timeout(30_000),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const json = tryParseJson(text)
      return {
        status: response.status,
        refusal: response.ok ? undefined : (refusalFrom(json)?.code ?? text.slice(0, 100)),
        body: json as ResponseOf<C>,
      }
    } catch (error) {
      return { status: 0, refusal: String(error), body: undefined as ResponseOf<C> }
    }
  }

  /** Sends a request that must succeed. @throws Error when it does not. */
  async sendOrThrow<C extends Endpoint>(call: C, request: RequestOf<C>): Promise<ResponseOf<C>> {
    const { status, refusal, body } = await this.send(call, request)
    if (refusal !== undefined) throw new Error(`${call.method} ${call.path}: ${status} ${refusal}`)
    return body
  }

  async logIn({ email, password }: Account): Promise<Client> {
    const { session = '' } = await this.sendOrThrow(login, { body: { email, password } })
    return new Client(this.url, session)
  }
}

/** Undefined for other text, such as an error page of HAProxy. */
function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether the panel, its database or the proxy were unavailable. */
export function isRetryable({ status }: Reply<unknown>): boolean {
  return [0, 502, 503, 504].includes(status)
}
