/** A request and its result, to be shown and copied: without passwords and usable tokens. */
export interface RequestDetails {
  readonly method: string
  readonly path: string
  /** 0 without a response. */
  readonly status: number
  /** The response is from a proxy that could not reach the panel. */
  readonly isFromProxy?: true
  /** Time of the response, epoch milliseconds. */
  readonly timestamp: number
  readonly body?: unknown
  readonly authorization?: string
}

const secretName = /pass(word)?|secret|token|^code$|^session$|^panel\.email\.key$/i
const mask = '********'

/** Returns a copy of a body with the values of secret-sounding names masked. */
export function redact(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(redact)
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isSecretName(name) ? redactSecret(value) : redact(value)]),
  )
}

/** Masks a secret, or the `value` of a variable that holds one. */
function redactSecret(secret: unknown): unknown {
  if (typeof secret === 'string' || typeof secret === 'number') return mask
  const rest = redact(secret)
  return typeof rest === 'object' && rest !== null && 'value' in rest ? { ...rest, value: mask } : rest
}

/** Whether a name is that of a secret, such as a password or token. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** Keeps the first characters of a credential: enough to tell two apart, too few to use it. */
export function redactToken(authorization: string): string {
  const [scheme = '', credential = ''] = authorization.split(' ')
  return `${scheme} ${credential.slice(0, 6)}…`
}

const detailsByError = new WeakMap<object, RequestDetails>()

/** Attaches the request to its error, for `getRequestDetails`. */
export function attachRequestDetails<E extends Error>(error: E, details: RequestDetails): E {
  detailsByError.set(error, details)
  return error
}

/** The request that an error came from, if any. */
export function getRequestDetails(error: unknown): RequestDetails | undefined {
  return typeof error === 'object' && error !== null ? detailsByError.get(error) : undefined
}

/** Whether the panel did not respond: it is down or unreachable. */
export function isPanelUnreachable(error: unknown): boolean {
  const details = getRequestDetails(error)
  return details !== undefined && (details.status === 0 || details.isFromProxy === true)
}
