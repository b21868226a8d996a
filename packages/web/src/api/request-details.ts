/** What a request was and how it ended, fit to be shown and copied: no password and no usable token in it. */
export interface RequestDetails {
  readonly method: string
  readonly path: string
  /** 0 when no answer came at all. */
  readonly status: number
  /** Set when not the panel answered but a proxy in front of it that cannot reach the panel. */
  readonly isFromProxy?: true
  /** When it ended, epoch milliseconds. */
  readonly timestamp: number
  readonly body?: unknown
  readonly authorization?: string
}

const secretName = /pass(word)?|secret|token|^code$|^session$/i
const mask = '********'

/** A copy of a body with everything masked that is named like a secret. */
export function redact(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(redact)
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, isSecret(name, value) ? mask : redact(value)]),
  )
}

/** Whether something is named like a secret: a password, a token. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

function isSecret(name: string, value: unknown): boolean {
  return isSecretName(name) && (typeof value === 'string' || typeof value === 'number')
}

/** The first characters of a credential: enough to tell two apart, useless to anybody else. */
export function redactToken(authorization: string): string {
  const [scheme = '', credential = ''] = authorization.split(' ')
  return `${scheme} ${credential.slice(0, 6)}…`
}

const detailsByError = new WeakMap<object, RequestDetails>()

/** Ties a record to the error it explains. */
export function attachRequestDetails<E extends Error>(error: E, record: RequestDetails): E {
  detailsByError.set(error, record)
  return error
}

/** The request behind an error; `undefined` when it did not come from one. */
export function getRequestDetails(error: unknown): RequestDetails | undefined {
  return typeof error === 'object' && error !== null ? detailsByError.get(error) : undefined
}

/** Whether the panel itself did not answer: it is down, or the way to it. */
export function isPanelUnreachable(error: unknown): boolean {
  const record = getRequestDetails(error)
  return record !== undefined && (record.status === 0 || record.isFromProxy === true)
}
