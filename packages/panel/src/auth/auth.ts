import type { LoggedIn } from '@innkeeper/contract/auth'
import { limits } from '@innkeeper/contract/limits'
import { Email, Password, Username } from '@innkeeper/contract/names'
import { type PanelScope, panelScopes } from '@innkeeper/contract/permissions'
import { Refusal, refusalOfInput } from '@innkeeper/contract/refusals'
import { z } from 'zod'
import type { Caller } from '../access/caller.ts'
import type { Database } from '../database/schema.ts'
import { addUser, hasAdministrator, scopesOf, userByEmail } from '../users/users.ts'
import type { Passwords } from './passwords.ts'
import type { SessionsService } from './sessions.ts'
import { newSetupCode, storeSetupCode, useSetupCode } from './setup-code.ts'
import { neighbourhoodOf, type TriesService } from './tries.ts'

interface Needs {
  readonly db: Database
  readonly sessions: SessionsService
  readonly tries: TriesService
  readonly passwords: Passwords
  readonly now: () => number
}

/** Someone to become the first administrator. */
export interface FirstAdministrator {
  readonly username: string
  readonly email: string
  readonly password: string
}

export type AuthService = ReturnType<typeof authService>

/** How people prove who they are, and how the first administrator comes to be. */
export function authService({ db, sessions, tries, passwords, now }: Needs) {
  async function loggedIn(userId: number, session: string): Promise<LoggedIn> {
    const scopes = shownScopes(await scopesOf(db, userId))
    return scopes.length > 0 ? { session, scopes } : { session }
  }

  /** Creates them in one transaction with the test that there is none yet. */
  async function createFirst(who: FirstAdministrator, code?: string): Promise<number> {
    const password = await passwords.hash(who.password)
    return db.transaction().execute(async (transaction) => {
      if (await hasAdministrator(transaction)) throw new Refusal('ErrSetupDone')
      if (code !== undefined && !(await useSetupCode(transaction, code))) throw new Refusal('ErrSetupCode')
      const id = await addUser(transaction, { ...who, password, scopes: ['servers.admin'] }, now())
      await transaction.deleteFrom('setup_codes').execute()
      return id
    })
  }

  return {
    async login(email: string, password: string, address: string): Promise<LoggedIn> {
      const sender = neighbourhoodOf(address)
      const here = { what: `login ${email.toLowerCase()} ${sender}`, most: limits.loginTries }
      const anywhere = { what: `login ${sender}`, most: limits.loginTriesPerAddress }
      await tries.count([here, anywhere])

      const user = await userByEmail(db, email)
      if (!(await passwords.matches(password, user?.password)) || !user) throw new Refusal('ErrInvalidCredentials')

      await tries.forget(here.what)
      await tries.takeBack([anywhere])
      return loggedIn(user.id, await sessions.open(user.id))
    },

    /** The same session, extended, with the scopes of this moment. */
    async reauth(caller: Caller, session: string): Promise<LoggedIn> {
      await sessions.extend(caller.sessionId)
      return loggedIn(caller.userId, session)
    },

    logout: (caller: Caller): Promise<void> => sessions.end(caller.sessionId),

    async setup(code: string, who: FirstAdministrator, address: string): Promise<LoggedIn> {
      await tries.count([{ what: `setup ${neighbourhoodOf(address)}`, most: limits.loginTries }])
      if (await hasAdministrator(db)) throw new Refusal('ErrSetupDone')
      const id = await createFirst(who, code)
      return loggedIn(id, await sessions.open(id))
    },

    /** Whether the first administrator is still to come. */
    setupNeeded: async (): Promise<boolean> => !(await hasAdministrator(db)),

    /** Creates the first administrator from settings, without a code; does nothing when there is one. */
    async createUnattended(who: FirstAdministrator): Promise<void> {
      const read = z.object({ username: Username, email: Email, password: Password }).safeParse(who)
      if (!read.success) throw refusalOfInput(read.error)
      if (!(await hasAdministrator(db))) await createFirst(read.data)
    },

    /** A new code for the page of the first administrator, the only one that is good; `undefined` when there is one. */
    async offerSetup(): Promise<string | undefined> {
      if (await hasAdministrator(db)) return undefined
      const code = newSetupCode()
      await storeSetupCode(db, code, now())
      return code
    },
  }
}

/** Scopes as clients see them: an administrator's grants every other one, so clients need not know that rule. */
function shownScopes(scopes: readonly PanelScope[]): PanelScope[] {
  return scopes.includes('servers.admin') ? [...panelScopes] : [...scopes]
}
