import { readFile } from 'node:fs/promises'
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { type Endpoint, getPanelUrl, type RequestOf, type ResponseOf } from '@innkeeper/contract/api/endpoint'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { isOnAllAddresses } from '@innkeeper/panel/http/listener-url'
import { type CommandContext, withCliContext } from '../command/command.ts'
import type { Config } from '../installation/config.ts'

/** A node may take a while, for example for a definition that it writes to a slow disk. */
const timeoutMs = 60_000
const maxResponseBytes = 256 * 1024 ** 2

/** The running panel cannot be called. */
export class PanelError extends Error {
  override readonly name = 'PanelError'
}

interface PanelResponse<C extends Endpoint> {
  readonly body: ResponseOf<C>
  /** For `If-Match`. */
  readonly version: string | undefined
}

interface CallOptions {
  /** `If-Match`: a change since this version is refused. */
  readonly version?: string | undefined
  readonly mustBeNew?: boolean
}

/** Calls the API of the panel on this machine. */
export interface PanelClient extends Disposable {
  /** @throws Refusal of the panel; PanelError when it does not respond */
  call<C extends Endpoint>(call: C, request: RequestOf<C>, options?: CallOptions): Promise<PanelResponse<C>>
}

interface Options {
  readonly config: Pick<Config, 'host' | 'port' | 'tlsCert'>
  /** Of a session. */
  readonly token: string
}

/** Connects to the listener of the configuration. With TLS, only to a panel that has the configured certificate. */
async function panelClient({ config, token }: Options): Promise<PanelClient> {
  const { host, port, tlsCert } = config
  const address = { host: isOnAllAddresses(host) ? '127.0.0.1' : host, port }
  const agent =
    tlsCert === undefined
      ? new HttpAgent({ keepAlive: true })
      : new HttpsAgent({
          keepAlive: true,
          ca: await readFile(tlsCert),
          // The certificate itself is trusted, for whatever name it is.
          allowPartialTrustChain: true,
          checkServerIdentity: () => undefined,
        })
  const send = (options: RequestOptions, body: string | undefined) =>
    exchange(tlsCert === undefined ? httpRequest : httpsRequest, { ...address, ...options, agent }, body)

  return {
    async call(call, request, { version: ifMatch, mustBeNew = false } = {}) {
      const parts = request as { body?: unknown } & Parameters<typeof getPanelUrl>[1]
      const body = parts.body === undefined ? undefined : JSON.stringify(parts.body)
      const response = await send(
        {
          method: call.method,
          path: getPanelUrl(call, parts),
          signal: AbortSignal.timeout(timeoutMs),
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
            ...(ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` }),
            ...(mustBeNew ? { 'if-none-match': '*' } : {}),
          },
        },
        body,
      ).catch((cause: unknown) => {
        throw new PanelError(getMessage(cause, config), { cause })
      })
      const content = parseJsonOrUndefined(response.text)
      if (response.status >= 300) {
        throw refusalFrom(content, response.status) ?? new PanelError(`The panel responded with ${response.status}.`)
      }
      const version = response.etag?.replace(/^"(.*)"$/, '$1')
      if (!call.response) return { body: undefined as ResponseOf<typeof call>, version }
      const read = call.response.safeParse(content)
      if (!read.success) throw new PanelError(`The response to ${call.path} is not valid.`, { cause: read.error })
      return { body: read.data as ResponseOf<typeof call>, version }
    },
    [Symbol.dispose]: () => agent.destroy(),
  }
}

/** Errors of TLS: the other side does not have the certificate, or does not speak TLS. */
const isTlsError = ({ code = '' }: NodeJS.ErrnoException) =>
  /CERT|SELF_SIGNED|ISSUER|^EPROTO$|^ERR_(SSL|TLS)/.test(code)

function getMessage(cause: unknown, { port, tlsCert }: Options['config']): string {
  if (tlsCert !== undefined && isTlsError(cause as NodeJS.ErrnoException))
    return `The panel at port ${port} of this machine does not have the certificate ${tlsCert}. Restart Innkeeper after a change of the settings tlsCert and tlsKey.`
  return `The panel at port ${port} of this machine does not respond. Start Innkeeper first.`
}

interface RawResponse {
  readonly status: number
  readonly etag: string | undefined
  readonly text: string
}

function exchange(
  request: typeof httpRequest | typeof httpsRequest,
  options: RequestOptions,
  body: string | undefined,
): Promise<RawResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
  const sent = request(options, (response) => {
    const parts: Buffer[] = []
    let bytes = 0
    response.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > maxResponseBytes) response.destroy(new Error('The response is too large.'))
      parts.push(part)
    })
    response.once('error', reject)
    response.once('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        etag: response.headers.etag,
        text: Buffer.concat(parts).toString('utf8'),
      }),
    )
  })
  sent.once('error', reject).end(body)
  return promise
}

interface PanelAccess {
  readonly client: PanelClient
  /** The administrator whose session is used. */
  readonly userId: number
  readonly username: string
  /** Aborted by Ctrl+C: what is in progress ends, and nothing else begins. */
  readonly signal: AbortSignal
}

/**
 * Calls the running panel of this machine as an administrator. The session is ended afterwards, also after Ctrl+C.
 * @throws PanelError on the machine of a node
 */
export async function withPanel<T>(
  context: CommandContext,
  { who, agent }: { readonly who: string | undefined; readonly agent: string },
  work: (access: PanelAccess) => Promise<T>,
): Promise<T> {
  if (context.config.role === 'node') throw new PanelError('Run this command on the machine of the panel.')
  return await withCliContext(context, async ({ openSession }) => {
    await using session = await openSession(who, agent)
    using client = await panelClient({ config: context.config, token: session.token })
    const interruption = new AbortController()
    const removeListener = context.onInterrupt(() => interruption.abort())
    try {
      const { userId, username } = session
      return await work({ client, userId, username, signal: interruption.signal })
    } finally {
      removeListener()
    }
  })
}
