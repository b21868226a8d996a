import { setTimeout as pause } from 'node:timers/promises'
import { login } from '@innkeeper/contract/auth'
import { type Endpoint, panelUrlOf, type RequestOf, type ResponseOf } from '@innkeeper/contract/endpoint'
import { refusalFrom } from '@innkeeper/contract/refusal-envelope'
import { Refusal } from '@innkeeper/contract/refusals'
import { Agent, fetch, type RequestInit, type Response } from 'undici'

export const admin = { email: 'mara@example.net', username: 'mara', password: 'a lantern at night' }

/** Somebody who works with panels, over what stands before them or straight. */
export class Operator {
  readonly url: string
  /** The certificate that what stands before the panels shows. */
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

  /** The same person at another address. */
  at(url: string): Operator {
    return new Operator(url, this.ca, this.#token)
  }

  async logIn(): Promise<void> {
    const { email, password } = admin
    this.#token = (await this.send(login, { body: { email, password } })).session ?? ''
  }

  /** Makes a call; the refusal is thrown. */
  async send<C extends Endpoint>(call: C, given: RequestOf<C>): Promise<ResponseOf<C>> {
    const { body } = given as { body?: unknown }
    const isJson = body !== undefined && typeof body !== 'string'
    const reply = await this.fetch(panelUrlOf(call, given as Parameters<typeof panelUrlOf>[1]), {
      method: call.method,
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
      ...(isJson ? { headers: { 'content-type': 'application/json' } } : {}),
    })
    const text = await reply.text()
    if (!reply.ok)
      throw refusalIn(text) ?? new Error(`${call.method} ${call.path}: ${reply.status} ${text.slice(0, 200)}`)
    return (text === '' ? undefined : JSON.parse(text)) as ResponseOf<C>
  }

  /** Asks anything. */
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

function refusalIn(text: string): Refusal | undefined {
  try {
    return refusalFrom(JSON.parse(text))
  } catch {
    // Not of a panel, but of what stands before it.
    return undefined
  }
}

/** The code with which something is refused, and how long that took. */
export async function refusalOf(act: Promise<unknown>): Promise<{ code: string; ms: number }> {
  const before = performance.now()
  try {
    await act
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { code: error.code, ms: performance.now() - before }
  }
  throw new Error('it was not refused')
}

/** Tries again for a while, as a program does to whom an answer got lost, or who heard that somebody is away. */
export async function persistently<T>(act: () => Promise<T>, onRetry: () => void = () => {}): Promise<T> {
  const end = performance.now() + 30_000
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (performance.now() > end) throw error
      onRetry()
      await pause(200)
    }
  }
}
