import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { SftpGrant, SftpLogin, sftpLogin } from '@innkeeper/contract/node-link/node-to-panel'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import ssh2, { type AuthContext, type KeyboardAuthContext, type PublicKeyAuthContext } from 'ssh2'
import type { DisconnectReason } from './disconnect.ts'

export const maxLoginAttempts = 6

/** A logged-in user: the grant of the session and its permissions. */
export interface LoggedInUser {
  readonly grant: SftpGrant
  readonly permissions: readonly RequiredPermission[]
  readonly username: string
}

interface Deps {
  readonly request: (login: SftpLogin) => Promise<ResponseOf<typeof sftpLogin>>
  readonly address: string
  /** Returns why no session of this user is allowed; undefined when it is. */
  readonly reserveSession: (user: LoggedInUser) => string | undefined
  /** Ends the connection with a text for the user. */
  readonly end: (reason: DisconnectReason, text: string) => void
  readonly log: Logger
}

type Granted = Extract<ResponseOf<typeof sftpLogin>, { is: 'granted' }>
type Method = 'password' | 'publickey' | 'keyboard-interactive'
const every: Method[] = ['publickey', 'password', 'keyboard-interactive']

/** Maximum number of offered keys. */
const maxKeyOffers = 20

/**
 * The login of one connection: a key with a valid signature, a password, or a password with a code. The panel decides;
 * here attempts are only counted.
 */
export class Login {
  readonly #deps: Deps
  #attempts = 0
  #keyOffers = 0
  /** The request in progress. */
  #current: AuthContext | undefined
  /** A correct password that needs a code, valid on this connection. */
  #pendingPassword: { readonly user: string; readonly password: string } | undefined
  #user: LoggedInUser | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The user who logged in. */
  get user(): LoggedInUser | undefined {
    return this.#user
  }

  /** Handles one authentication request. */
  async authenticate(context: AuthContext): Promise<void> {
    if (context.method === 'none') return context.reject(every)
    // One at a time: concurrent ones would all be checked before the first is counted.
    if (this.#current) return this.#end('Only one authentication request at a time is possible.')
    this.#current = context
    const over = () => {
      if (this.#current === context) this.#current = undefined
    }
    // A client may leave prompts unanswered and try another method.
    context.once('abort', over)
    try {
      await this.#attempt(context)
    } catch (error) {
      this.#refuse(context, error)
    } finally {
      over()
    }
  }

  async #attempt(context: AuthContext): Promise<void> {
    const user = context.username
    if (user.length > limits.emailMax + 20) return this.#fail(context)
    switch (context.method) {
      case 'password':
        return await this.#byPassword(context, user, context.password)
      case 'publickey':
        return await this.#byKey(context, user)
      case 'keyboard-interactive':
        return await this.#byQuestions(context, user)
      default:
        return this.#fail(context)
    }
  }

  async #byPassword(context: AuthContext, user: string, password: string): Promise<void> {
    const response = await this.#requestLogin(user, { method: 'password', password: truncate(password, 1024) })
    if (response.is === 'granted') return this.#accept(context, response)
    // The password alone is not sufficient: the client is told to continue with keyboard-interactive, whose first
    // prompt is the code.
    this.#pendingPassword = { user, password }
    context.reject(['keyboard-interactive'], true)
  }

  async #byQuestions(context: KeyboardAuthContext, user: string): Promise<void> {
    let password = this.#pendingPassword?.user === user ? this.#pendingPassword.password : undefined
    this.#pendingPassword = undefined
    if (password === undefined) {
      password = truncate(await prompt(context, 'Password: ', false), 1024)
      const response = await this.#requestLogin(user, { method: 'password', password })
      if (response.is === 'granted') return this.#accept(context, response)
    }
    const code = truncate(await prompt(context, 'Code of your authenticator, or a recovery code: ', true), 64)
    const response = await this.#requestLogin(user, { method: 'passwordAndCode', password, code })
    if (response.is === 'granted') return this.#accept(context, response)
    this.#fail(context)
  }

  async #byKey(context: PublicKeyAuthContext, user: string): Promise<void> {
    const key = context.key.data.toString('base64')
    const isSigned = context.signature !== undefined
    if (key.length > 16_384) return this.#fail(context)
    if (isSigned && !isSignatureValid(context)) return this.#fail(context)
    if (!isSigned && ++this.#keyOffers > maxKeyOffers)
      return this.#end(
        `Too many keys: at most ${maxKeyOffers} are tried on one connection. Choose one with IdentityFile.`,
      )
    const response = await this.#requestLogin(user, { method: 'key', key, isSigned }).catch((error: unknown) => {
      // An unknown key is no failed attempt: clients offer all they have.
      const isUnknown = error instanceof Refusal && error.code === 'ErrInvalidCredentials'
      if (isSigned || !isUnknown) throw error
      return undefined
    })
    if (response === undefined) return context.reject(every)
    if (response.is !== 'granted') return this.#fail(context)
    // Without a signature this only says that the key would be accepted.
    if (!isSigned) return context.accept()
    this.#accept(context, response)
  }

  async #requestLogin(user: string, shown: SftpLogin['with']) {
    return await this.#deps.request({ user, address: this.#deps.address, with: shown })
  }

  #accept(context: AuthContext, { grant, rights: permissions, username }: Granted): void {
    // The client has switched to another method meanwhile.
    if (this.#current !== context) return
    const user = { grant, permissions, username }
    const refusal = this.#deps.reserveSession(user)
    if (refusal !== undefined) {
      this.#deps.log.info({ user: username, server: grant.server }, 'an SFTP sign-in was refused: too many sessions')
      this.#deps.end('tooManyConnections', refusal)
      return
    }
    this.#user = user
    context.accept()
  }

  #fail(context: AuthContext): void {
    if (++this.#attempts < maxLoginAttempts) context.reject(every)
    else this.#end(`Too many authentication failures: at most ${maxLoginAttempts} on one connection.`)
  }

  #end(text: string): void {
    this.#deps.end('noMoreAuthMethods', text)
  }

  #refuse(context: AuthContext, error: unknown): void {
    if (error instanceof Aborted) return
    const code = error instanceof Refusal ? error.code : undefined
    if (code === 'ErrInvalidCredentials') {
      this.#fail(context)
      return
    }
    const line = { err: error, address: this.#deps.address }
    if (error instanceof Refusal && error.code === 'ErrServerSuspended') {
      this.#deps.log.info(line, 'an SFTP sign-in was refused: the server is suspended')
      this.#end(error.message)
    } else if (code === 'ErrSecondFactorRequired') {
      this.#deps.log.info(line, 'an SFTP sign-in was refused: the account needs a second factor')
      this.#end('Your account needs a second factor: sign in to the panel and add one, or use an SSH key.')
    } else if (code === 'ErrTooManyRequests') {
      this.#deps.log.info(line, 'an SFTP sign-in was refused: too many attempts')
      this.#end('Too many failed sign-ins of this user or address: wait five minutes.')
    } else {
      this.#deps.log.warn(line, 'failed to check an SFTP sign-in')
      this.#end('The sign-in could not be checked: the panel does not answer. Try again later.')
    }
  }
}

/** The client switched to another method before answering. */
class Aborted extends Error {
  override readonly name = 'Aborted'
}

function prompt(context: KeyboardAuthContext, prompt: string, echo: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    context.once('abort', () => reject(new Aborted()))
    context.prompt([{ prompt, echo }], 'Innkeeper', (responses: readonly string[] | Error) => {
      if (responses instanceof Error) reject(new Aborted())
      else resolve(responses[0] ?? '')
    })
  })
}

/** Whether the signature proves possession of the private key. */
function isSignatureValid({
  key,
  blob,
  signature,
  hashAlgo,
}: PublicKeyAuthContext & { readonly hashAlgo?: string }): boolean {
  // The old RSA signature uses SHA-1.
  if (key.algo === 'ssh-rsa' && hashAlgo === undefined) return false
  const parsed = ssh2.utils.parseKey(key.data)
  if (parsed instanceof Error || !blob || !signature) return false
  const [parsedKey] = Array.isArray(parsed) ? parsed : [parsed]
  return parsedKey !== undefined && parsedKey.type === key.algo && parsedKey.verify(blob, signature, hashAlgo) === true
}

/** Longer values are wrong anyway and need not be sent to the panel. */
function truncate(text: string, max: number): string {
  return text.slice(0, max)
}
