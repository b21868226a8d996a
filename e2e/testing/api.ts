import { type LoginResult, sessionCookie } from '@innkeeper/contract/accounts/auth'
import type { BrowserContext } from '@playwright/test'

/** The first administrator. */
export const firstAdmin = { username: 'mara', email: 'mara@example.net', password: 'a lantern at night' }

/** Calls the API as one user. */
export class Api {
  readonly #url: string
  readonly #session: LoginResult | undefined

  private constructor(url: string, session?: LoginResult) {
    this.#url = url
    this.#session = session
  }

  static async signIn(url: string, { email, password }: { email: string; password: string }): Promise<Api> {
    const session = (await new Api(url).post('/auth/login', { email, password })) as LoginResult
    return new Api(url, session)
  }

  /** Creates the first administrator and signs in. */
  static async setUp(url: string, code: string): Promise<Api> {
    await new Api(url).post('/auth/setup', { code, ...firstAdmin })
    return Api.signIn(url, firstAdmin)
  }

  get(path: string): Promise<unknown> {
    return this.#call('GET', path)
  }

  post(path: string, body?: unknown): Promise<unknown> {
    return this.#call('POST', path, body)
  }

  put(path: string, body?: unknown): Promise<unknown> {
    return this.#call('PUT', path, body)
  }

  delete(path: string): Promise<unknown> {
    return this.#call('DELETE', path)
  }

  /** Signs a browser in as this user. */
  async signInTo(context: BrowserContext): Promise<void> {
    const { session = '', scopes = [] } = this.#session ?? {}
    await context.addCookies([{ name: sessionCookie, value: encodeURIComponent(session), url: this.#url }])
    // The web app stores the scopes of its session with the cookie.
    await context.addInitScript((stored) => localStorage.setItem('innkeeper.scopes', stored), JSON.stringify(scopes))
  }

  async #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const isBytes = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        ...(this.#session && { authorization: `Bearer ${this.#session.session}` }),
        ...(body !== undefined && { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body !== undefined && { body: isBytes ? (body as BodyInit) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
    return text ? (JSON.parse(text) as unknown) : undefined
  }
}
