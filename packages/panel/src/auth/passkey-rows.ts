import type { Passkey } from '@innkeeper/contract/accounts/passkeys'
import type { Database, PasskeyRow } from '../database/schema.ts'

/** Whether the account has a passkey, which then is a second factor at each sign-in. */
export async function hasPasskeys(on: Database, userId: number): Promise<boolean> {
  const row = await on.selectFrom('passkeys').select('id').where('user_id', '=', userId).executeTakeFirst()
  return row !== undefined
}

export async function removePasskeys(on: Database, userId: number): Promise<void> {
  await on.deleteFrom('passkeys').where('user_id', '=', userId).execute()
}

/** The passkeys of a user, newest first. */
export function passkeysOf(on: Database, userId: number): Promise<PasskeyRow[]> {
  return on
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

export function passkeyView({ id, name, created_at, used_at }: PasskeyRow): Passkey {
  return {
    id,
    name,
    createdAt: new Date(created_at).toISOString(),
    ...(used_at === null ? {} : { usedAt: new Date(used_at).toISOString() }),
  }
}

/** A passkey as WebAuthn names it. */
export function credentialOf({ credential_id, transports }: PasskeyRow): { id: string; transports: string[] } {
  return { id: credential_id, transports: transports === '' ? [] : transports.split(' ') }
}
