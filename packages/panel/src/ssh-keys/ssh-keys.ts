import { randomUUID } from 'node:crypto'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { SshKey } from '@innkeeper/contract/ssh-keys'
import { type Acting, enact } from '../access/acting.ts'
import type { Caller } from '../access/caller.ts'
import type { Passwords } from '../auth/passwords.ts'
import { neighbourhoodOf, type TriesService } from '../auth/tries.ts'
import { unique } from '../database/failures.ts'
import type { Database, SshKeyRow } from '../database/schema.ts'
import { lockUser, userById } from '../users/users.ts'
import { fingerprintOf, parsePublicKey } from './public-key.ts'

interface Needs {
  readonly db: Database
  readonly passwords: Passwords
  readonly tries: TriesService
  readonly now: () => number
}

interface NewKey {
  readonly name?: string | undefined
  readonly key: string
  readonly password: string
}

export type SshKeysService = ReturnType<typeof sshKeysService>

/** Public keys with which people log in over SFTP. A key belongs to one person only. */
export function sshKeysService({ db, passwords, tries, now }: Needs) {
  return {
    async list({ userId }: Caller): Promise<SshKey[]> {
      const rows = await db
        .selectFrom('ssh_keys')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute()
      return rows.map(shown)
    },

    /** Adds a key; the current password is judged first, and its tries are counted. */
    async add({ userId }: Caller, { name, key, password }: NewKey, address: string, acting: Acting): Promise<SshKey> {
      const trying = { what: `password ${userId} ${neighbourhoodOf(address)}`, most: limits.loginTries }
      await tries.count([trying])
      const user = await userById(db, userId)
      if (!(await passwords.matches(password, user?.password)) || !user) throw new Refusal('ErrInvalidCredentials')
      await tries.forget(trying.what)

      const read = parsePublicKey(key)
      if (!read) throw new Refusal('ErrSshKeyInvalid', { field: 'key' })
      const row: SshKeyRow = {
        id: randomUUID(),
        user_id: userId,
        name: [...(name?.trim() || read.comment || read.algorithm)].slice(0, 100).join(''),
        algorithm: read.algorithm,
        public_key: read.blob.toString('base64'),
        fingerprint: fingerprintOf(read.blob),
        created_at: now(),
        used_at: null,
      }
      await enact(acting, db, async (transaction) => {
        // One key of a person after the other: their number is a limit.
        const current = await lockUser(transaction, userId)
        if (current?.password !== user.password) throw new Refusal('ErrInvalidCredentials')
        const { held } = await transaction
          .selectFrom('ssh_keys')
          .select(({ fn }) => fn.countAll<number | bigint | string>().as('held'))
          .where('user_id', '=', userId)
          .executeTakeFirstOrThrow()
        if (Number(held) >= limits.sshKeysPerPerson) throw new Refusal('ErrTooMany', { max: limits.sshKeysPerPerson })
        await unique('ssh_keys_fingerprint_uq', 'ErrDuplicateSshKey', () =>
          transaction.insertInto('ssh_keys').values(row).execute(),
        )
        acting.about({ target: row.id })
      })
      return shown(row)
    },

    remove: ({ userId }: Caller, id: string, acting: Acting): Promise<void> =>
      enact(acting, db, async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('ssh_keys')
          .where('id', '=', id)
          .where('user_id', '=', userId)
          .executeTakeFirst()
        if (numDeletedRows === 0n) throw new Refusal('ErrNotFound')
      }),
  }
}

function shown(row: SshKeyRow): SshKey {
  return {
    id: row.id,
    name: row.name,
    algorithm: row.algorithm,
    fingerprint: row.fingerprint,
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.used_at === null ? {} : { usedAt: new Date(row.used_at).toISOString() }),
  }
}
