import { login } from '@innkeeper/contract/auth'
import { type Endpoint, panelUrlOf, type RequestOf, type ResponseOf } from '@innkeeper/contract/endpoint'
import { refusalFrom } from '@innkeeper/contract/refusal-envelope'

/** What came of a request: `status` 0 when there was no whole answer. */
export interface Reply<A> {
  readonly status: number
  readonly refusal: string | undefined
  readonly answer: A
}

export interface Person {
  readonly email: string
  readonly username: string
  readonly password: string
}

/** Somebody who uses the panels at an address. */
export class Client {
  readonly url: string
  readonly #token: string

  constructor(url: string, token = '') {
    this.url = url
    this.#token = token
  }

  /** The same person, elsewhere. */
  at(url: string): Client {
    return new Client(url, this.#token)
  }

  async send<C extends Endpoint>(call: C, given: RequestOf<C>): Promise<Reply<ResponseOf<C>>> {
    const { body } = given as { body?: unknown }
    const headers: Record<string, string> = {}
    if (this.#token !== '') headers.authorization = `Bearer ${this.#token}`
    if (body !== undefined) headers['content-type'] = 'application/json'
    try {
      const response = await fetch(this.url + panelUrlOf(call, given as Parameters<typeof panelUrlOf>[1]), {
        method: call.method,
        headers,
        signal: AbortSignal.timeout(30_000),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const said = readable(text)
      return {
        status: response.status,
        refusal: response.ok ? undefined : (refusalFrom(said)?.code ?? text.slice(0, 100)),
        answer: said as ResponseOf<C>,
      }
    } catch (error) {
      return { status: 0, refusal: String(error), answer: undefined as ResponseOf<C> }
    }
  }

  /** Sends what must be done; anything else is an error. */
  async must<C extends Endpoint>(call: C, given: RequestOf<C>): Promise<ResponseOf<C>> {
    const { status, refusal, answer } = await this.send(call, given)
    if (refusal !== undefined) throw new Error(`${call.method} ${call.path}: ${status} ${refusal}`)
    return answer
  }

  async logIn({ email, password }: Person): Promise<Client> {
    const { session = '' } = await this.must(login, { body: { email, password } })
    return new Client(this.url, session)
  }
}

/** What a proxy says by itself is no JSON. */
function readable(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether somebody should ask again: the panel, its database or what stands before them could not work. */
export function isWorthAnotherTry({ status }: Reply<unknown>): boolean {
  return [0, 502, 503, 504].includes(status)
}
