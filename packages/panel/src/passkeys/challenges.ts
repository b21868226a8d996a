import { Refusal } from '@innkeeper/contract/errors/refusals'
import { affectsRows } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { hashToken, newToken } from '../security/secrets.ts'

export const challengeLifetimeMs = 300_000

/** What a signed challenge is for. It counts for nothing else. */
export type ChallengePurpose = 'add' | 'signIn' | 'secondFactor' | 'confirm'

/** The user whom a challenge is for; any user signs in with a challenge for nobody. */
export type ChallengeUser = number | 'anyone'

const anyone = 0
const toUserId = (user: ChallengeUser): number => (user === 'anyone' ? anyone : user)

/** Challenges for passkeys to sign, each valid once and for one purpose. */
export function passkeyChallenges({ db, now }: { readonly db: Database; readonly now: () => number }) {
  return {
    async issue(purpose: ChallengePurpose, user: ChallengeUser): Promise<Uint8Array<ArrayBuffer>> {
      const [challenge, at] = [newToken(), now()]
      await db.deleteFrom('passkey_challenges').where('expires_at', '<=', at).execute()
      const row = {
        id: hashToken(challenge),
        purpose,
        user_id: toUserId(user),
        expires_at: at + challengeLifetimeMs,
      }
      await db.insertInto('passkey_challenges').values(row).execute()
      return new Uint8Array(Buffer.from(challenge, 'base64url'))
    },

    /** Uses up a challenge in one statement: of two requests with the same answer one succeeds. */
    async consume(
      transaction: Transaction,
      challenge: string,
      purpose: ChallengePurpose,
      user: ChallengeUser,
    ): Promise<void> {
      const deletion = transaction
        .deleteFrom('passkey_challenges')
        .where('id', '=', hashToken(challenge))
        .where('purpose', '=', purpose)
        .where('user_id', '=', toUserId(user))
        .where('expires_at', '>', now())
      if (!(await affectsRows(deletion))) throw new Refusal('ErrSessionExpired')
    },
  }
}
