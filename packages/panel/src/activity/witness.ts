import { activityActions } from '@innkeeper/contract/activity'
import type { Endpoint } from '@innkeeper/contract/endpoint'
import { limits } from '@innkeeper/contract/limits'
import { Email, ServerId } from '@innkeeper/contract/names'
import { Refusal, type RefusalCode } from '@innkeeper/contract/refusals'
import type { About, Acting } from '../access/acting.ts'
import type { Caller } from '../access/caller.ts'
import type { ActivityLog } from './activity.ts'
import type { ActivityRateLimit, RateLimit } from './rate-limit.ts'

interface Needs {
  readonly activity: Pick<ActivityLog, 'record'>
  readonly limited: ActivityRateLimit
}

/** Somebody doing something, from the moment it is known what. */
export interface Witnessed extends Acting {
  /** Finds out what it is about, when it gets an entry of its own. */
  describe(find: () => Promise<string | undefined>): void
  /** It went well; is written down unless the service did. */
  succeeded(): Promise<void>
  /** A node answered it with an HTTP status, and with a refusal when it could say why not. */
  answered(status: number, refusal: Refusal | undefined): Promise<void>
  /** It was refused in other words than a refusal's. */
  refused(code: string): Promise<void>
  /** It did not; written down when it says something about who tried. */
  ended(error: unknown): Promise<void>
}

/** What is known of a request before its handler runs. */
export interface Seen {
  readonly caller: Caller | undefined
  readonly from: string
  readonly params?: unknown
  readonly body?: unknown
}

/** Refusals of people without a session that say that somebody tries what they should not. All of them are throttled. */
const toldOfStrangers: ReadonlySet<string> = new Set<RefusalCode>([
  'ErrInvalidCredentials',
  'ErrTokenInvalid',
  'ErrInviteLinkInvalid',
  'ErrSavingInviteduser',
  'ErrLoginNotPermitted',
  'ErrSetupCode',
  'ErrOtpLocked',
])

/** Refusals that only say that a form was not filled in right, or that somebody is too fast. */
const untold = /^Err(Field|InvalidJson|BodyTooLarge|TooManyRequests|SessionTimedOut|PasswordR|UsernameR|PasswordsNot)/

/** The name under which a call is recorded; `undefined` for one that is not. */
export function actionOf(call: Pick<Endpoint, 'method' | 'path'>): string | undefined {
  const name = `${call.method} ${call.path}`
  if (Object.hasOwn(activityActions, name)) return activityActions[name]
  return call.method === 'GET' || call.method === 'HEAD' ? undefined : name
}

/** Writes down what people do with calls: one place for every call, which knows no more than the call and its parts. */
export function witness({ activity, limited }: Needs) {
  /** Something that is about to be done; `undefined` when it is not recorded. */
  return (call: Pick<Endpoint, 'method' | 'path'>, seen: Seen): Witnessed | undefined => {
    const action = actionOf(call)
    if (action === undefined) return undefined
    const { caller } = seen
    let user = caller && { id: caller.userId, username: caller.username }
    let about: About = aboutOf(call, seen)
    let isWritten = false
    let isNothing = false
    let describe: (() => Promise<string | undefined>) | undefined
    const who = () => (caller ? String(caller.userId) : (about.from ?? seen.from))

    const refusals = (): RateLimit => ({ key: `${who()} refused`, max: limits.activityRefusalsPerMinute })
    const actions = (): RateLimit =>
      action === 'server.command'
        ? { key: `${who()} ${action} ${about.server}`, max: limits.activityCommandsPerMinute }
        : { key: `${who()} done`, max: limits.activityPerMinute }
    const act = (result: 'done' | 'refused' | 'failed', code?: string) => ({
      user,
      client: caller?.client?.id,
      server: about.server,
      target: about.target,
      action,
      from: about.from ?? seen.from,
      result,
      code,
    })

    return {
      about(more) {
        about = { ...about, ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)) }
      },
      describe(find) {
        describe = find
      },
      by({ id, username }) {
        user = { id, username }
      },
      async done(transaction) {
        await activity.record(act('done'), transaction)
        isWritten = true
      },
      nothing() {
        isNothing = true
      },
      async succeeded() {
        if (isWritten || isNothing) return
        await limited.write(act('done'), actions(), describe)
      },
      async answered(status, refusal) {
        if (status < 400) await this.succeeded()
        else if (refusal && (refusal.code !== 'ErrUnknownError' || refusal.unknown)) await this.ended(refusal)
        else await limited.write(act(status < 500 ? 'refused' : 'failed', String(status)), refusals(), describe)
      },
      async refused(code) {
        await limited.write(act('refused', code), refusals(), describe)
      },
      async ended(error) {
        if (isNothing) return
        const code = error instanceof Refusal ? (error.unknown?.code ?? error.code) : undefined
        if (code !== undefined) {
          if (untold.test(code)) return
          if (!caller && !toldOfStrangers.has(code)) return
        }
        const isFault = code === undefined || ['ErrUnknownError', 'ErrGeneric'].includes(code)
        await limited.write(act(isFault ? 'failed' : 'refused', code), refusals(), describe)
      },
    }
  }
}
export type Witness = ReturnType<typeof witness>

/** What names a thing in the path or body of a call. Tokens, passwords and free text do not. */
const names = ['email', 'username', 'name', 'key', 'clientId', 'path', 'job', 'task'] as const

function aboutOf({ path }: Pick<Endpoint, 'path'>, { params, body }: Seen): About {
  const [inPath, inBody] = [record(params), record(body)]
  const isOnServer = /^\/(api\/servers|daemon\/server)\/:id\b/.test(path)
  const id = text(inPath.id)
  const target = names.map((name) => text(inPath[name]) ?? named(name, inBody[name])).find(Boolean)
  const isLogin = path.startsWith('/auth/')
  return {
    // A refusal is seen before anything looked at the path.
    server: isOnServer && ServerId.safeParse(id).success ? id : undefined,
    // What is typed at the door is an address, or a password in the wrong field.
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
