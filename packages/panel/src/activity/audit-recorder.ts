import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import { Email } from '@innkeeper/contract/text/names'
import { ServerId } from '@innkeeper/contract/text/server-id'
import type { AuditContext, AuditSubject } from '../access/audit-context.ts'
import type { Principal } from '../access/principal.ts'
import type { ActivityLog } from './activity.ts'
import type { AuditRateLimit, RateLimit } from './rate-limit.ts'

/** More entries of one user within a minute are combined into one. */
const maxActionsPerMinute = 600
export const maxCommandsPerMinute = 60
export const maxRejectionsPerMinute = 60

interface Deps {
  readonly activity: Pick<ActivityLog, 'record'>
  readonly auditRateLimit: AuditRateLimit
}

/** Builds and writes the audit log entry of one request. */
export interface AuditEntryBuilder extends AuditContext {
  /** Sets a callback that finds the subject; called only when the event gets a separate entry. */
  describe(findTarget: () => Promise<string | undefined>): void
  /** The request succeeded: writes the entry unless the service has done so. */
  succeeded(): Promise<void>
  /** The request failed with an error code that the contract does not have. */
  refused(code: string): Promise<void>
  /** The request failed: writes the entry if the error is one that is audited. */
  failed(error: unknown): Promise<void>
}

/** What an entry takes from the endpoint. */
export type AuditedEndpoint = Pick<Endpoint, 'audit' | 'path'>

/** The request before its handler runs. */
export interface RequestInfo {
  readonly principal: Principal | undefined
  readonly from: string
  readonly params?: unknown
  readonly body?: unknown
}

/** Errors of anonymous requests that indicate an attack. All of these endpoints are rate-limited. */
const auditedAnonymousErrors: ReadonlySet<string> = new Set<RefusalCode>([
  'ErrInvalidCredentials',
  'ErrTokenInvalid',
  'ErrInviteLinkInvalid',
  'ErrSavingInviteduser',
  'ErrLoginNotPermitted',
  'ErrSetupCode',
  'ErrOtpLocked',
  'ErrPasskeyUnknown',
  'ErrPasskeyCounter',
])

/** Errors that only indicate invalid input or too many requests. */
const unauditedErrors =
  /^Err(Field|InvalidJson|BodyTooLarge|TooManyRequests|SessionTimedOut|PasswordR|UsernameR|PasswordsNot)/

/** Records an audit log entry for each mutating request, from the endpoint, its parameters and body alone. */
export function auditRecorder({ activity, auditRateLimit }: Deps) {
  /** Starts the entry of a request; `undefined` when the endpoint is not audited. */
  return (call: AuditedEndpoint, request: RequestInfo): AuditEntryBuilder | undefined => {
    const action = call.audit
    if (action === undefined) return undefined
    const { principal } = request
    let user = principal && { id: principal.userId, username: principal.username }
    let about: AuditSubject = getSubject(call, request)
    let isRecorded = false
    let isSkipped = false
    let describe: (() => Promise<string | undefined>) | undefined
    const actorKey = () => (principal ? String(principal.userId) : (about.from ?? request.from))

    const refusalLimit = (): RateLimit => ({ key: `${actorKey()} refused`, max: maxRejectionsPerMinute })
    const actionLimit = (): RateLimit =>
      action === 'server.command' || action.startsWith('server.player.')
        ? { key: `${actorKey()} ${action} ${about.server}`, max: maxCommandsPerMinute }
        : { key: `${actorKey()} done`, max: maxActionsPerMinute }
    const event = (result: 'done' | 'refused' | 'failed', code?: string) => ({
      user,
      client: principal?.client?.id,
      server: about.server,
      target: about.target,
      action,
      from: about.from ?? request.from,
      result,
      code,
    })

    return {
      setSubject(more) {
        about = { ...about, ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)) }
      },
      describe(find) {
        describe = find
      },
      setActor({ id, username }) {
        user = { id, username }
      },
      async record(transaction) {
        await activity.record(event('done'), transaction)
        isRecorded = true
      },
      skip() {
        isSkipped = true
      },
      async succeeded() {
        if (isRecorded || isSkipped) return
        await auditRateLimit.write(event('done'), actionLimit(), describe)
      },
      async refused(code) {
        await auditRateLimit.write(event('refused', code), refusalLimit(), describe)
      },
      async failed(error) {
        if (isSkipped) return
        const code = error instanceof Refusal ? (error.unknown?.code ?? error.code) : undefined
        if (code !== undefined) {
          if (unauditedErrors.test(code)) return
          if (!principal && !auditedAnonymousErrors.has(code)) return
        }
        const isFault = code === undefined || ['ErrUnknownError', 'ErrGeneric'].includes(code)
        await auditRateLimit.write(event(isFault ? 'failed' : 'refused', code), refusalLimit(), describe)
      },
    }
  }
}
export type AuditRecorder = ReturnType<typeof auditRecorder>

/** Fields in path or body that identify a subject. Tokens, passwords and free text are not among them. */
const targetKeys = ['email', 'username', 'name', 'key', 'clientId', 'path', 'job', 'task'] as const

function getSubject({ path }: AuditedEndpoint, { params, body }: RequestInfo): AuditSubject {
  const [inPath, inBody] = [record(params), record(body)]
  const isOnServer = /^\/(api\/servers|daemon\/server)\/:id\b/.test(path)
  const id = text(inPath.id)
  const target = targetKeys.map((name) => text(inPath[name]) ?? named(name, inBody[name])).find(Boolean)
  const isLogin = path.startsWith('/auth/')
  return {
    // The path is not validated yet when a rejected request is recorded.
    server: isOnServer && ServerId.safeParse(id).success ? id : undefined,
    // The login form may contain a password in the wrong field: only a valid email address is recorded.
    target: isLogin
      ? Email.safeParse(inBody.email).success
        ? text(inBody.email)
        : undefined
      : isOnServer
        ? target
        : (id ?? target),
  }
}

function named(name: string, value: unknown): string | undefined {
  return name === 'key' ? undefined : text(value)
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}
