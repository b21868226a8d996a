import { getCredentialCounts } from '@innkeeper/contract/accounts/account'
import { reauth } from '@innkeeper/contract/accounts/auth'
import { listOidcProviders } from '@innkeeper/contract/accounts/oidc'
import { listPasskeys } from '@innkeeper/contract/accounts/passkeys'
import { listAlertChannels, listServerAlertChannels } from '@innkeeper/contract/alerts/alerts'
import { type Endpoint, getPanelUrl, type ResponseOf } from '@innkeeper/contract/api/endpoint'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { listNodeChoices, listNodes } from '@innkeeper/contract/nodes/nodes'
import { listPlans } from '@innkeeper/contract/orders/plans'
import { getUsage, listServers } from '@innkeeper/contract/servers/servers'
import {
  getConfig,
  getSelf,
  getUserSettings,
  type PanelConfig,
  putUserSetting,
} from '@innkeeper/contract/settings/panel'
import { listTemplates } from '@innkeeper/contract/templates/templates'

/** A recorded request. */
export interface RecordedRequest {
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly authorization: string | null
  readonly headers: Headers
}

type Responder = (recorded: RecordedRequest) => unknown

/** A fake `fetch` that responds to API calls and records the requests. */
export class FakePanel {
  readonly #responders = new Map<Endpoint, Responder>()
  readonly #requests: (RecordedRequest & { readonly endpoint: Endpoint })[] = []
  readonly #versions = new Map<Endpoint, () => string>()
  readonly #paused = new Map<Endpoint, Promise<void>>()

  /** The response of `getConfig`. */
  readonly config: PanelConfig = {
    branding: { name: 'Innkeeper' },
    themes: { active: 'Innkeeper', available: ['Innkeeper'] },
    registrationEnabled: false,
    setupNeeded: false,
    version: '0.1.0',
  }

  constructor() {
    this.respond(getConfig, this.config)
    this.respond(getSelf, { id: 1, username: 'mara', email: 'mara@example.net', emailConfirmed: true })
    this.respond(getUserSettings, [{ key: 'seenVersion', value: '0.1.0' }])
    this.respond(putUserSetting, undefined)
    this.respond(reauth, { session: 'token', scopes: ['servers.admin'] })
    this.respond(listServers, { servers: [], paging: { page: 1, pageSize: 100, maxSize: 100, total: 0 } })
    this.respond(getUsage, [])
    this.respond(listNodes, [])
    this.respond(listNodeChoices, [])
    this.respond(listTemplates, [])
    this.respond(getCredentialCounts, { sshKeys: 1, clients: 1 })
    this.respond(listPasskeys, [])
    this.respond(listPlans, { plans: [] })
    this.respond(listOidcProviders, [])
    this.respond(listAlertChannels, [])
    this.respond(listServerAlertChannels, [])
  }

  /** Sets the response of an endpoint; a `Refusal` is sent as an error. */
  respond<C extends Endpoint>(
    endpoint: C,
    response: ResponseOf<C> | Refusal | ((recorded: RecordedRequest) => ResponseOf<C> | Refusal),
  ): void {
    this.#responders.set(endpoint, typeof response === 'function' ? (response as Responder) : () => response)
  }

  /** Sends the version with the responses of `read`, in `ETag`; a `change` of another version is rejected as stale. */
  setVersion(read: Endpoint, change: Endpoint, version: () => string): void {
    this.#versions.set(read, version)
    this.#versions.set(change, version)
  }

  /** Delays the response of an endpoint until the returned function is called. */
  pause(endpoint: Endpoint): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#paused.set(endpoint, promise)
    return () => {
      this.#paused.delete(endpoint)
      resolve()
    }
  }

  /** The recorded requests of an endpoint. */
  requests(endpoint: Endpoint): readonly RecordedRequest[] {
    return this.#requests.filter((recorded) => recorded.endpoint === endpoint)
  }

  readonly fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { pathname, searchParams } = new URL(String(url), location.origin)
    const endpoint = [...this.#responders.keys()].find(
      (known) => known.method === init.method && matchesPath(known, pathname),
    )
    const headers = new Headers(init.headers)
    const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
    const body: unknown = typeof init.body === 'string' && isJson ? JSON.parse(init.body) : (init.body ?? undefined)
    const recorded = { path: pathname, query: searchParams, body, authorization: headers.get('authorization'), headers }
    if (!endpoint) return jsonResponse(toEnvelope(new Refusal('ErrNotFound')), 404)
    this.#requests.push({ ...recorded, endpoint })
    await this.#paused.get(endpoint)
    const version = this.#versions.get(endpoint)?.()
    const seen = headers.get('if-match')
    const isStale = version !== undefined && seen !== null && seen !== `"${version}"`
    const response = isStale ? new Refusal('ErrStaleVersion') : this.#responders.get(endpoint)?.(recorded)
    if (response instanceof Refusal) return jsonResponse(toEnvelope(response), response.status)
    const etag: Record<string, string> = version === undefined ? {} : { etag: `"${version}"` }
    return response === undefined ? new Response(null, { status: 204 }) : jsonResponse(response, 200, etag)
  }
}

function matchesPath(endpoint: Endpoint, path: string): boolean {
  const parts = getPanelUrl({ ...endpoint, path: endpoint.path.replace(/:\w+\*$/, '**').replace(/:\w+/g, '*') }).split(
    '/',
  )
  const given = path.split('/')
  // What is left of a path, with its slashes, is the last part.
  if (parts.at(-1) === '**') given.splice(parts.length - 1, given.length, '**')
  return parts.length === given.length && parts.every((part, index) => part === '*' || part === given[index])
}

function jsonResponse(body: unknown, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}
