import { limits } from '@innkeeper/contract/limits'
import { type SftpGrant, type SftpLogin, sftpLogin } from '@innkeeper/contract/node-to-panel'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import ssh2, { type AuthContext, type KeyboardAuthContext, type PublicKeyAuthContext } from 'ssh2'
import type { PanelLink } from '../../panel-link/panel-link.ts'

/** Who got in: what the session stands on, and what it may do now. */
export interface LoggedIn {
  readonly grant: SftpGrant
  readonly rights: readonly RequiredPermission[]
  readonly username: string
}

interface Deps {
  readonly panel: Pick<PanelLink, 'ask'>
  readonly address: string
  /** Whether there is room for a session of this person; when not, they are refused. */
  readonly admit: (user: LoggedIn) => boolean
  /** Ends the connection. */
  readonly end: () => void
  readonly log: Logger
}

type Method = 'password' | 'publickey' | 'keyboard-interactive'
const every: Method[] = ['publickey', 'password', 'keyboard-interactive']

/** Keys that a client may offer before the one that fits. */
const offersMost = 20

/**
 * The login of one connection: a key whose signature is right, a password, or a password with a code. Whether it is
 * good, the panel says; here it is only counted how often one tries.
 */
export class Login {
  readonly #deps: Deps
  #tries = 0
  #offers = 0
  /** The request that is being judged. */
  #judged: AuthContext | undefined
  /** A password that was right and waits for its code, on this connection only. */
  #waiting: { readonly user: string; readonly password: string } | undefined
  #who: LoggedIn | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Who logged in on this connection. */
  get who(): LoggedIn | undefined {
    return this.#who
  }

  /** Judges one request to get in. */
  async judge(context: AuthContext): Promise<void> {
    if (context.method === 'none') return context.reject(every)
    // One at a time: many at once would all be judged before the first is counted.
    if (this.#judged) return this.#deps.end()
    this.#judged = context
    const over = () => {
      if (this.#judged === context) this.#judged = undefined
    }
    // A client may leave questions open and try another way.
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
    const answer = await this.#ask(user, { method: 'password', password: bounded(password, 1024) })
    if (answer.is === 'granted') return this.#accept(context, answer)
    // The password alone opens nothing: the client is told to go on with questions, of which the code is the first.
    this.#waiting = { user, password }
    context.reject(['keyboard-interactive'], true)
  }

  async #byQuestions(context: KeyboardAuthContext, user: string): Promise<void> {
    let password = this.#waiting?.user === user ? this.#waiting.password : undefined
    this.#waiting = undefined
    if (password === undefined) {
      password = bounded(await questioned(context, 'Password: ', false), 1024)
      const answer = await this.#ask(user, { method: 'password', password })
      if (answer.is === 'granted') return this.#accept(context, answer)
    }
    const code = bounded(await questioned(context, 'Code of your authenticator, or a recovery code: ', true), 64)
    const answer = await this.#ask(user, { method: 'passwordAndCode', password, code })
    if (answer.is === 'granted') return this.#accept(context, answer)
    this.#fail(context)
  }

  async #byKey(context: PublicKeyAuthContext, user: string): Promise<void> {
    const key = context.key.data.toString('base64')
    const isSigned = context.signature !== undefined
    if (key.length > 16_384) return this.#fail(context)
    if (isSigned && !isGenuine(context)) return this.#fail(context)
    if (!isSigned && ++this.#offers > offersMost) return this.#deps.end()
    const answer = await this.#ask(user, { method: 'key', key, isSigned }).catch((error: unknown) => {
      // A key that is not known costs no try: clients offer all they have.
      const isUnknown = error instanceof Refusal && error.code === 'ErrInvalidCredentials'
      if (isSigned || !isUnknown) throw error
      return undefined
    })
    if (answer === undefined) return context.reject(every)
    if (answer.is !== 'granted') return this.#fail(context)
    // Without a signature this only says that the key would do.
    if (!isSigned) return context.accept()
    this.#accept(context, answer)
  }

  async #ask(user: string, shown: SftpLogin['with']) {
    return await this.#deps.panel.ask(sftpLogin, { body: { user, address: this.#deps.address, with: shown } })
  }

  #accept(context: AuthContext, { grant, rights, username }: LoggedIn): void {
    // Meanwhile the client tried another way.
    if (this.#judged !== context) return
    const who = { grant, rights, username }
    if (!this.#deps.admit(who)) {
      this.#deps.log.info({ user: username, server: grant.server }, 'an SFTP login was refused: too many sessions')
      this.#deps.end()
      return
    }
    this.#who = who
    context.accept()
  }

  #fail(context: AuthContext): void {
    if (++this.#tries >= limits.sftpLoginAttempts) this.#deps.end()
    else context.reject(every)
  }

  #refuse(context: AuthContext, error: unknown): void {
    if (error instanceof Aborted) return
    const code = error instanceof Refusal ? error.code : undefined
    if (code === 'ErrInvalidCredentials') {
      this.#fail(context)
      return
    }
    const line = { err: error, address: this.#deps.address }
    if (code === 'ErrTooManyRequests') this.#deps.log.info(line, 'an SFTP login was refused: too many tries')
    else this.#deps.log.warn(line, 'an SFTP login could not be judged')
    this.#deps.end()
  }
}

/** Somebody began another way of logging in before they answered. */
class Aborted extends Error {
  override readonly name = 'Aborted'
}

function questioned(context: KeyboardAuthContext, prompt: string, echo: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    context.once('abort', () => reject(new Aborted()))
    context.prompt([{ prompt, echo }], 'Innkeeper', (answers: readonly string[] | Error) => {
      if (answers instanceof Error) reject(new Aborted())
      else resolve(answers[0] ?? '')
    })
  })
}

/** Whether the one who offers a key also has its private half. */
function isGenuine({ key, blob, signature, hashAlgo }: PublicKeyAuthContext & { readonly hashAlgo?: string }): boolean {
  // The old signature of RSA stands on SHA-1.
  if (key.algo === 'ssh-rsa' && hashAlgo === undefined) return false
  const parsed = ssh2.utils.parseKey(key.data)
  if (parsed instanceof Error || !blob || !signature) return false
  const [one] = Array.isArray(parsed) ? parsed : [parsed]
  return one !== undefined && one.type === key.algo && one.verify(blob, signature, hashAlgo) === true
}

/** What is longer than it can be is wrong, and need not travel. */
function bounded(text: string, most: number): string {
  return text.slice(0, most)
}
