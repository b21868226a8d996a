import { isIPv6 } from 'node:net'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { insertIfAbsent, upsert } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { hashToken } from './secrets.ts'

interface Deps {
  readonly db: Database
  readonly now: () => number
}

/** Something that is tried: `what` by whom, and how often within a window. */
export interface RateLimit {
  readonly key: string
  readonly max: number
}

export type RateLimiter = ReturnType<typeof rateLimiter>

/**
 * Counts tries in the database, so that every panel counts together. A try is counted before it is judged, in one
 * statement: many at once cannot slip through between asking and counting.
 */
export function rateLimiter({ db, now }: Deps) {
  async function consumeOne({ key, max }: RateLimit): Promise<void> {
    const [id, at] = [hashToken(key), now()]
    const raise = async () => {
      const { numUpdatedRows } = await db
        .updateTable('tries')
        .set((row) => ({ count: row('count', '+', 1) }))
        .where('id', '=', id)
        .where('expires_at', '>', at)
        .where('count', '<', max)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    }
    if (await raise()) return
    await db.deleteFrom('tries').where('expires_at', '<=', at).execute()
    const first = { id, count: 1, expires_at: at + limits.loginWindowMs }
    if (await insertIfAbsent(db, 'tries', first)) return
    // Another began the window meanwhile, or there were too many.
    if (await raise()) return
    const held = await db.selectFrom('tries').select('expires_at').where('id', '=', id).executeTakeFirst()
    throw tooManyRequests((held?.expires_at ?? at) - at)
  }

  return {
    /** Counts one try of each; refused when one was tried too often. */
    async consume(all: readonly RateLimit[]): Promise<void> {
      for (const limit of all) await consumeOne(limit)
    },

    /** A try that went well does not count against those that follow. */
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

    /** Whether nobody did this yet, on any panel, for as long as it is remembered. */
    async claimOnce(key: string, forMs: number): Promise<boolean> {
      return await insertIfAbsent(db, 'tries', { id: hashToken(key), count: 1, expires_at: now() + forMs })
    },

    /** Keeps in mind for so long that something happened. */
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

/** Where an attempt comes from. `nodeId` is the node that says so: it is believed for its own attempts only. */
export interface AttemptSource {
  readonly address: string
  readonly nodeId?: number | undefined
}

/** What attempts are counted by: the address, apart for each node that names one. */
export function sourceKey({ address, nodeId }: AttemptSource): string {
  const sender = clientSubnet(address)
  return nodeId === undefined ? sender : `${sender} by node ${nodeId}`
}

/** Whom an address stands for: one customer of a provider has a whole /64 of IPv6. */
export function clientSubnet(address: string): string {
  const [plain = ''] = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%', 1)
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.toLowerCase().split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length
  const groups = [...front, ...Array<string>(Math.max(0, zeros)).fill('0'), ...back]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
