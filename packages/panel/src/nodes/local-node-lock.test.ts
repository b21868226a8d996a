import type { JWK } from 'jose'
import { expect } from 'vitest'
import type { Database } from '../database/schema.ts'
import { test } from '../testing/databases.ts'
import { LocalNodeLockedError, lockLocalNode } from './local-node-lock.ts'
import { nodeSilenceMs } from './node-repository.ts'

const getKey = (name: string): JWK => ({ kty: 'OKP', crv: 'Ed25519', x: name })
const claim = (db: Database, name: string, at: number) =>
  lockLocalNode({ db, publicKey: { ...getKey(name), d: 'private' }, now: () => at })

async function owner(db: Database): Promise<unknown> {
  const { jwk } = await db.selectFrom('node_keys').select('jwk').where('node_id', '=', 0).executeTakeFirstOrThrow()
  return JSON.parse(jwk)
}

test('a second local node cannot replace the first one while that reports', async ({ db }) => {
  await claim(db, 'one', 1_000)
  await claim(db, 'one', 2_000)

  await expect(claim(db, 'two', 3_000)).rejects.toThrow('INNKEEPER_ROLE=panel')
  expect(await owner(db)).toEqual(getKey('one'))

  const report = { since: 1_000, skew: 0, reached_at: 0, is_reachable: 1, body: '{}', servers: '[]' }
  const seenAt = 2_000 + nodeSilenceMs
  await db
    .insertInto('node_reports')
    .values({ node_id: 0, seen_at: seenAt, ...report })
    .execute()
  await expect(claim(db, 'two', seenAt + nodeSilenceMs - 1)).rejects.toThrow(LocalNodeLockedError)
})

test('it can after the first one has not reported for a while', async ({ db }) => {
  await claim(db, 'one', 1_000)

  await claim(db, 'two', 1_000 + nodeSilenceMs)

  expect(await owner(db)).toEqual(getKey('two'))
  await expect(claim(db, 'one', 2_000 + nodeSilenceMs)).rejects.toThrow(LocalNodeLockedError)
})

test.for([0, nodeSilenceMs])(
  'of many panels that start concurrently, %i ms apart, one gets the lock',
  async (ms, { db }) => {
    if (ms > 0) await claim(db, 'before', 1)
    const names = ['one', 'two', 'three', 'four']

    const outcomes = await Promise.allSettled(names.map((name) => claim(db, name, 1 + ms)))

    const accepted = names.filter((_, index) => outcomes[index]?.status === 'fulfilled')
    expect(accepted).toHaveLength(1)
    expect(await owner(db)).toEqual(getKey(accepted[0] as string))
  },
)
