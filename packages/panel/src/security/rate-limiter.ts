import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import { batches } from '../database/batches.ts'
import { affectsRows, insertIfAbsent, runTransaction, upsert } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { hashToken } from './secrets.ts'

/** Attempts are counted within windows of this length. */
export const rateLimitWindowMs = 300_000
/** Failed attempts per window at a login or at any other secret, for one account and address, against brute force. */
export const maxLoginAttempts = 10
/** Failed logins per window from one address, for all accounts together. */
export const maxLoginAttemptsPerAddress = 100
/** Wrong passwords and keys that one node may submit per window, because it reports the client addresses itself. */
export const maxLoginAttemptsPerNode = 1_000

interface Deps {
  readonly db: Database
  readonly now: () => number
}

/** A key that attempts are counted by, and the maximum within a window. */
export interface RateLimit {
  readonly key: string
  readonly max: number
}

export type RateLimiter = ReturnType<typeof rateLimiter>

/**
 * Rate limiter in the database, shared by all replicas. An attempt is counted before it is checked, in one statement,
 * so that concurrent attempts cannot exceed the limit.
 */
export function rateLimiter({ db, now }: Deps) {
  async function consumeOne({ key, max }: RateLimit): Promise<void> {
    const [id, at] = [hashToken(key), now()]
    const raise = async () => {
      return await affectsRows(
        db
          .updateTable('tries')
          .set((row) => ({ count: row('count', '+', 1) }))
          .where('id', '=', id)
          .where('expires_at', '>', at)
          .where('count', '<', max),
      )
    }
    if (await raise()) return
    await removeExpired()
    const first = { id, count: 1, expires_at: at + rateLimitWindowMs }
    if (await insertIfAbsent(db, 'tries', first)) return
    // Another request started the window in the meantime, or the limit is reached.
    if (await raise()) return
    const existing = await db.selectFrom('tries').select('expires_at').where('id', '=', id).executeTakeFirst()
    throw tooManyRequests((existing?.expires_at ?? at) - at)
  }

  let removedAt = 0
  async function removeExpired(): Promise<void> {
    removedAt = now()
    await db.deleteFrom('tries').where('expires_at', '<=', removedAt).execute()
  }

  const claim = batches(async (keys: readonly { readonly id: string; readonly expires_at: number }[]) => {
    if (Math.abs(now() - removedAt) >= rateLimitWindowMs) await removeExpired()
    return await runTransaction(db, async (transaction) => {
      const isFirst: boolean[] = []
      for (const key of keys) isFirst.push(await insertIfAbsent(transaction, 'tries', { ...key, count: 1 }))
      return isFirst
    })
  })

  return {
    /** Consumes one attempt of each limit. Throws ErrTooManyRequests when one is reached. */
    async consume(all: readonly RateLimit[]): Promise<void> {
      for (const limit of all) await consumeOne(limit)
    },

    /** Refunds an attempt that succeeded. */
    async refund(all: readonly RateLimit[]): Promise<void> {
      for (const { key } of all) {
        await db
          .updateTable('tries')
          .set((row) => ({ count: row('count', '-', 1) }))
          .where('id', '=', hashToken(key))
          .where('count', '>', 0)
          .execute()
      }
    },

    /** Returns true for the first call with this key on any panel, until it expires. */
    async claimOnce(key: string, forMs: number): Promise<boolean> {
      return await claim({ id: hashToken(key), expires_at: now() + forMs })
    },

    /** Remembers a key for the given time. */
    async remember(key: string, forMs: number): Promise<void> {
      await upsert(db, 'tries', ['id'], { id: hashToken(key), count: 1, expires_at: now() + forMs })
    },

    async isRemembered(key: string): Promise<boolean> {
      const row = await db
        .selectFrom('tries')
        .select('id')
        .where('id', '=', hashToken(key))
        .where('expires_at', '>', now())
        .executeTakeFirst()
      return row !== undefined
    },

    async reset(key: string): Promise<void> {
      await db.deleteFrom('tries').where('id', '=', hashToken(key)).execute()
    },
  }
}

function tooManyRequests(waitMs: number): Refusal {
  return new Refusal('ErrTooManyRequests', { retryAfter: Math.max(1, Math.ceil(waitMs / 1000)) })
}

/** Source of an attempt. `nodeId` is the node that reported the address; such attempts are counted per node. */
export interface AttemptSource {
  readonly address: string
  readonly nodeId?: number | undefined
}

/** The key of a source: the subnet of the address, per reporting node. */
export function sourceKey({ address, nodeId }: AttemptSource): string {
  const sender = clientSubnet(address)
  return nodeId === undefined ? sender : `${sender} by node ${nodeId}`
}
