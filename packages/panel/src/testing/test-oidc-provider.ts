import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

/** An account at the provider. */
export interface ProviderAccount {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly preferred_username?: string
}

const clientId = 'innkeeper'
const clientSecret = 'the secret of the client'

/** An OpenID Connect provider on loopback, where `account` is always signed in. */
export class TestOidcProvider {
  account: ProviderAccount = { sub: 'mara' }
  readonly clientId = clientId
  readonly clientSecret = clientSecret
  readonly #server: Server
  readonly #redirectUrl: string
  #provider: Provider | undefined

  private constructor(server: Server, redirectUrl: string) {
    this.#server = server
    this.#redirectUrl = redirectUrl
  }

  static async start(redirectUrl: string, port = 0): Promise<TestOidcProvider> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const provider = new TestOidcProvider(server, redirectUrl)
    await provider.rotateKeys()
    server.on('request', (request, response) => void provider.#answer(request, response))
    return provider
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get issuer(): string {
    return `http://${this.address}`
  }

  /** Starts anew with another signing key. */
  async rotateKeys(): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const key = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), use: 'sig' }
    this.#provider = new Provider(this.issuer, {
      clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [this.#redirectUrl] }],
      cookies: { keys: ['of the test'] },
      jwks: { keys: [key] },
      claims: { email: ['email', 'email_verified'], profile: ['preferred_username'] },
      features: { devInteractions: { enabled: false } },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ ...this.account, sub }) }),
    })
  }

  /** Opens the address as a browser, and returns the query of the redirect to the panel. */
  async signIn(url: string): Promise<string> {
    const cookies = new Map<string, string>()
    for (let next = url, hop = 0; hop < 10; hop++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
      for (const line of response.headers.getSetCookie()) {
        const { name = '', value = '' } = /^(?<name>[^=]+)=(?<value>[^;]*)/.exec(line)?.groups ?? {}
        cookies.set(name, value)
      }
      const location = new URL(response.headers.get('location') ?? '', next)
      if (location.href.startsWith(this.#redirectUrl)) return location.search.slice(1)
      next = location.href
    }
    throw new Error('The provider redirects in circles.')
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider
    if (!provider) return
    if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response)
    const { prompt, params, session } = await provider.interactionDetails(request, response)
    const { sub } = this.account
    if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId: sub } })
      return
    }
    const grant = new provider.Grant({ accountId: session?.accountId ?? sub, clientId })
    grant.addOIDCScope(String(params.scope))
    const grantId = await grant.save()
    await provider.interactionFinished(request, response, { consent: { grantId } }, { mergeWithLastSubmission: true })
  }
}
