import { listAlertChannels, listServerAlertChannels } from '@innkeeper/contract/alerts'
import { reauth } from '@innkeeper/contract/auth'
import { type Endpoint, panelUrlOf, type ResponseOf } from '@innkeeper/contract/endpoint'
import { listNodeChoices, listNodes } from '@innkeeper/contract/nodes'
import { getConfig, getSelf, getUserSettings, type PanelConfig, putUserSetting } from '@innkeeper/contract/panel'
import { envelopeOf } from '@innkeeper/contract/refusal-envelope'
import { Refusal } from '@innkeeper/contract/refusals'
import { getUsage, listServers } from '@innkeeper/contract/servers'
import { listTemplates } from '@innkeeper/contract/templates'

/** A recorded request. */
export interface RecordedRequest {
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly authorization: string | null
  readonly headers: Headers
}

type Answer = (recorded: RecordedRequest) => unknown

/** A fake `fetch` that answers API calls and records the requests. */
export class FakePanel {
  readonly #answers = new Map<Endpoint, Answer>()
  readonly #requests: (RecordedRequest & { readonly call: Endpoint })[] = []
  readonly #versions = new Map<Endpoint, () => string>()
  readonly #paused = new Map<Endpoint, Promise<void>>()

  /** The answer of `getConfig`. */
  readonly config: PanelConfig = {
    branding: { name: 'Innkeeper' },
    themes: { active: 'Innkeeper', available: ['Innkeeper'] },
    registrationEnabled: false,
    setupNeeded: false,
    version: '0.1.0',
  }

  constructor() {
    this.answer(getConfig, this.config)
    this.answer(getSelf, { id: 1, username: 'mara', email: 'mara@example.net', emailConfirmed: true })
    this.answer(getUserSettings, [{ key: 'seenVersion', value: '0.1.0' }])
    this.answer(putUserSetting, undefined)
    this.answer(reauth, { session: 'token', scopes: ['servers.admin'] })
    this.answer(listServers, { servers: [], paging: { page: 1, pageSize: 100, maxSize: 100, total: 0 } })
    this.answer(getUsage, [])
    this.answer(listNodes, [])
    this.answer(listNodeChoices, [])
    this.answer(listTemplates, [])
    this.answer(listAlertChannels, [])
    this.answer(listServerAlertChannels, [])
  }

  /** Sets the answer of a call; a `Refusal` is sent as an error. */
  answer<C extends Endpoint>(
    call: C,
    answer: ResponseOf<C> | Refusal | ((recorded: RecordedRequest) => ResponseOf<C> | Refusal),
  ): void {
    this.#answers.set(call, typeof answer === 'function' ? (answer as Answer) : () => answer)
  }

  /** Adds an `ETag` to the answers of `read`; a `change` with another version in `If-Match` is rejected as stale. */
  setVersion(read: Endpoint, change: Endpoint, version: () => string): void {
    this.#versions.set(read, version)
    this.#versions.set(change, version)
  }

  /** Delays the answer of a call until the returned function is called. */
  pause(call: Endpoint): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#paused.set(call, promise)
    return () => {
      this.#paused.delete(call)
      resolve()
    }
  }

  /** The recorded requests of a call. */
  requests(call: Endpoint): readonly RecordedRequest[] {
    return this.#requests.filter((recorded) => recorded.call === call)
  }

  readonly fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { pathname, searchParams } = new URL(String(url), location.origin)
    const call = [...this.#answers.keys()].find((known) => known.method === init.method && isPathOf(known, pathname))
    const headers = new Headers(init.headers)
    const isJson = headers.get('content-type')?.startsWith('application/json') ?? false
    const body: unknown = typeof init.body === 'string' && isJson ? JSON.parse(init.body) : (init.body ?? undefined)
    const recorded = { path: pathname, query: searchParams, body, authorization: headers.get('authorization'), headers }
    if (!call) return respond(envelopeOf(new Refusal('ErrNotFound')), 404)
    this.#requests.push({ ...recorded, call })
    await this.#paused.get(call)
    const version = this.#versions.get(call)?.()
    const seen = headers.get('if-match')
    const isStale = version !== undefined && seen !== null && seen !== version
    const answer = isStale ? new Refusal('ErrStaleVersion') : this.#answers.get(call)?.(recorded)
    if (answer instanceof Refusal) return respond(envelopeOf(answer), answer.status)
    const etag: Record<string, string> = version === undefined ? {} : { etag: version }
    return answer === undefined ? new Response(null, { status: 204 }) : respond(answer, 200, etag)
  }
}

function isPathOf(call: Endpoint, path: string): boolean {
  const parts = panelUrlOf({ ...call, path: call.path.replace(/:\w+\*$/, '**').replace(/:\w+/g, '*') }).split('/')
  const given = path.split('/')
  // What is left of a path, with its slashes, is the last part.
  if (parts.at(-1) === '**') given.splice(parts.length - 1, given.length, '**')
  return parts.length === given.length && parts.every((part, index) => part === '*' || part === given[index])
}

function respond(body: unknown, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}
