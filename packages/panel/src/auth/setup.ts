import type { LoginResult } from '@innkeeper/contract/accounts/auth'
import { validationError } from '@innkeeper/contract/definitions/validate'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import { Email, Password, Username } from '@innkeeper/contract/text/names'
import { z } from 'zod'
import type { AuditContext } from '../access/audit-context.ts'
import { affectsRows, lock, runTransaction, upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { addUser, hasAdministrator, permissionsLock } from '../database/users.ts'
import { maxLoginAttempts, type RateLimiter } from '../security/rate-limiter.ts'
import { hashToken } from '../security/secrets.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { NewAccount } from './auth.ts'
import type { Passwords } from './passwords.ts'
import type { SessionClient } from './sessions.ts'
import type { SignInService } from './sign-in.ts'
import { generateUserCode, normalizeUserCode } from './user-code.ts'

interface Deps {
  readonly db: Database
  readonly signIns: Pick<SignInService, 'openSession'>
  readonly limiter: Pick<RateLimiter, 'consume'>
  readonly passwords: Pick<Passwords, 'hash'>
  readonly settings: Pick<SettingsService, 'storeRegistration'>
  readonly now: () => number
}

export type SetupService = ReturnType<typeof setupService>

/** The first start of a panel: creates its first administrator, once. */
export function setupService({ db, signIns, limiter, passwords, settings, now }: Deps) {
  let hasBeenSetUp = false

  /** Creates the first administrator, whose password is the hash. The check that there is none is in the transaction. */
  async function createFirstAdministrator(transaction: Transaction, who: NewAccount, code?: string): Promise<number> {
    await lock(transaction, permissionsLock)
    if (await hasAdministrator(transaction)) throw new Refusal('ErrSetupDone')
    if (code !== undefined && !(await consumeSetupCode(transaction, code))) throw new Refusal('ErrSetupCode')
    const id = await addUser(transaction, { ...who, isEmailConfirmed: true, scopes: ['servers.admin'] }, now())
    await transaction.deleteFrom('setup_codes').execute()
    return id
  }

  return {
    /** Creates the first administrator; `registrationEnabled` is stored as the setting. */
    async setUp(
      { code, registrationEnabled }: { readonly code: string; readonly registrationEnabled?: boolean | undefined },
      who: NewAccount,
      from: SessionClient,
      audit: AuditContext,
    ): Promise<LoginResult> {
      await limiter.consume([{ key: `setup ${clientSubnet(from.address)}`, max: maxLoginAttempts }])
      if (await hasAdministrator(db)) throw new Refusal('ErrSetupDone')
      const account = { ...who, password: await passwords.hash(who.password) }
      return signIns.openSession({ by: 'setup', from, audit }, async (transaction) => {
        const id = await createFirstAdministrator(transaction, account, code)
        if (registrationEnabled) await settings.storeRegistration(transaction)
        return { id, username: who.username }
      })
    },

    /** Whether there is no administrator yet. */
    async setupNeeded(): Promise<boolean> {
      // The last administrator cannot be removed.
      hasBeenSetUp ||= await hasAdministrator(db)
      return !hasBeenSetUp
    },

    /** Creates the first administrator from settings, without a setup code; does nothing when there is one. */
    async createUnattended(who: NewAccount): Promise<void> {
      const read = z.object({ username: Username, email: Email, password: Password }).safeParse(who)
      if (!read.success) throw validationError(read.error)
      if (await hasAdministrator(db)) return
      const account = { ...read.data, password: await passwords.hash(read.data.password) }
      const creating = runTransaction(db, (transaction) => createFirstAdministrator(transaction, account))
      await creating.catch((error: unknown) => {
        // Another panel on this database has created it.
        if (!(error instanceof Refusal && error.code === 'ErrSetupDone')) throw error
      })
    },

    /** Issues a new setup code and invalidates earlier ones; `undefined` when there is an administrator. */
    async issueSetupCode(): Promise<string | undefined> {
      if (await hasAdministrator(db)) return undefined
      const code = generateUserCode()
      await storeSetupCode(db, code, now())
      return code
    },
  }
}

const onlyRow = 1

/** Stores the code and replaces any earlier one. */
async function storeSetupCode(db: Database, code: string, now: number): Promise<void> {
  await upsert(db, 'setup_codes', ['id'], { id: onlyRow, hash: hashToken(normalizeUserCode(code)), created_at: now })
}

/** Consumes the code in one statement; false when it is wrong or used. */
async function consumeSetupCode(transaction: Transaction, code: string): Promise<boolean> {
  return await affectsRows(transaction.deleteFrom('setup_codes').where('hash', '=', hashToken(normalizeUserCode(code))))
}
