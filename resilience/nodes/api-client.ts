import { setTimeout as pause } from 'node:timers/promises'
import { login } from '@innkeeper/contract/accounts/auth'
import { type Endpoint, getPanelUrl, type RequestOf, type ResponseOf } from '@innkeeper/contract/api/endpoint'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { Agent, fetch, type RequestInit, type Response } from 'undici'

export const admin = { email: 'mara@example.net', username: 'mara', password: 'a lantern at night' }

/** Calls the API of the panels, through the load balancer or directly. */
export class ApiClient {
  readonly url: string
  /** The certificate of the load balancer, in PEM. */
  readonly ca: string
  readonly #agent: Agent
  #token: string

  constructor(url: string, ca: string, token = '') {
    this.url = url
    this.ca = ca
    this.#token = token
    this.#agent = new Agent({ connect: { ca, timeout: 3_000 }, headersTimeout: 30_000 })
  }

  get authorization(): string {
    return `Bearer ${this.#token}`
  }

  /** The same session at another URL. */
  withUrl(url: string): ApiClient {
    return new ApiClient(url, this.ca, this.#token)
  }

  async logIn(): Promise<void> {
    const { email, password } = admin
    this.#token = (await this.send(login, { body: { email, password } })).session ?? ''
  }

  /** Makes an API call. @throws Refusal that the panel answered. */
  async send<C extends Endpoint>(call: C, request: RequestOf<C>): Promise<ResponseOf<C>> {
    const { body } = request as { body?: unknown }
    const isJson = body !== undefined && typeof body !== 'string'
    const response = await this.fetch(getPanelUrl(call, request as Parameters<typeof getPanelUrl>[1]), {
      method: call.method,
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
      ...(isJson ? { headers: { 'content-type': 'application/json' } } : {}),
    })
    const text = await response.text()
    if (!response.ok)
      throw parseRefusal(text) ?? new Error(`${call.method} ${call.path}: ${response.status} ${text.slice(0, 200)}`)
    return (text === '' ? undefined : JSON.parse(text)) as ResponseOf<C>
  }

  /** Sends any request with the session. */
  async fetch(
    path: string,
    { headers, ...options }: RequestInit & { headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const authorization = this.#token === '' ? {} : { authorization: this.authorization }
    return fetch(this.url + path, { ...options, headers: { ...headers, ...authorization }, dispatcher: this.#agent })
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}

function parseRefusal(text: string): Refusal | undefined {
  try {
    return refusalFrom(JSON.parse(text))
  } catch {
    // An error page of the load balancer.
    return undefined
  }
}

/** The code of the refusal that `promise` rejects with, and how long that took. */
export async function expectRefusal(promise: Promise<unknown>): Promise<{ code: string; ms: number }> {
  const startedAt = performance.now()
  try {
    await promise
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { code: error.code, ms: performance.now() - startedAt }
  }
  throw new Error('the call succeeded, but a refusal was expected')
}

/** Retries for up to 30 s, as a client does after a lost response or a 5xx. */
export async function withRetries<T>(request: () => Promise<T>, onRetry: () => void = () => {}): Promise<T> {
  const deadline = performance.now() + 30_000
  for (;;) {
    try {
      return await request()
    } catch (error) {
      if (performance.now() > deadline) throw error
      onRetry()
      await pause(200)
    }
  }
}
