import { createPrivateKey, type JsonWebKey, randomBytes } from 'node:crypto'
import { keySetAudience, type SignedKeySet } from '@innkeeper/contract/node-link/ticket'
import { limits } from '@innkeeper/contract/text/limits'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { cachedValue } from '../caching/cached-value.ts'
import { insertIfAbsent, lock, runTransaction } from '../database/rows.ts'
import type { Database, Tables } from '../database/schema.ts'
import type { TicketKey } from './client/tickets.ts'
import { nodeSilenceMs } from './node-repository.ts'
import type { NodeReports } from './reports.ts'

const signingKeyCacheMs = 1_000

type SigningKeyRow = Tables['signing_keys']

const firstKeyId = 'tickets'

/** A signing key pair of the panel. */
export interface SigningKey extends TicketKey {
  /** The public key for nodes. */
  readonly publicJwk: JWK
}

interface Deps {
  readonly db: Database
  readonly reports: Pick<NodeReports, 'keysKnownOnline'>
  readonly now: () => number
}

export type SigningKeys = Awaited<ReturnType<typeof signingKeys>>

/**
 * The signing keys of all panels on a database, cached for {@link signingKeyCacheMs}. Rotation is done when they are
 * read.
 */
export async function signingKeys({ db, reports, now }: Deps) {
  const roles = cachedValue(load, { maxAgeMs: signingKeyCacheMs, now })
  const keySets = cachedValue(async () => signKeySets(await roles.get(), now()), { maxAgeMs: signingKeyCacheMs, now })

  async function load(): Promise<KeyRoles<SigningKey>> {
    const roles = findRoles(await rowsIn(db))
    if (!roles) throw new Error('The signing keys are missing in the database: restore it from a backup.')
    if (!(await settle(roles))) return getPairs(roles)
    const settled = findRoles(await rowsIn(db))
    return getPairs(settled ?? roles)
  }

  /** Promotes the next key when it is due, and deletes old ones. The first panel that sees it does this. */
  async function settle(roles: KeyRoles<SigningKeyRow>): Promise<boolean> {
    const { next, old } = roles
    const forgets = canRetireOld(roles, now())
    if (forgets) {
      const ids = old.map(({ id }) => id)
      await db.deleteFrom('signing_keys').where('id', 'in', ids).execute()
    }
    if (!next || !shouldPromoteNext(next, await knowOnline(next.id), now())) return forgets
    await db
      .updateTable('signing_keys')
      .set({ signs_since: now() })
      .where('id', '=', next.id)
      .where('signs_since', 'is', null)
      .execute()
    return true
  }

  const knowOnline = async (kid: string) => (await reports.keysKnownOnline()).map((known) => known.includes(kid))

  if ((await rowsIn(db)).length === 0) await insertIfAbsent(db, 'signing_keys', await newRow(firstKeyId, now()))
  await roles.get()

  return {
    /** The current signing key. */
    async signing(): Promise<SigningKey> {
      return (await roles.get()).signing
    },

    /** The public keys that nodes should trust, signed with each key by which a node may know the panel. */
    signedKeySets: (): Promise<string[]> => keySets.get(),
  }
}

async function signKeySets({ signing, next, old }: KeyRoles<SigningKey>, now: number): Promise<string[]> {
  const keys = [...old, signing, ...(next ? [next] : [])].map(({ kid, publicJwk: { x = '' } }) => ({ kid, x }))
  const iat = Math.floor(now / 1000)
  const keySet: SignedKeySet = { aud: keySetAudience, iat, exp: iat + limits.ticketLifeMs / 1000, keys }
  return await Promise.all(
    [...old, signing].map(({ kid, privateKey }) =>
      new SignJWT({ ...keySet }).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey),
    ),
  )
}

/** Generates the next key, unless there is one already. `record` writes the audit log entry in the same transaction. */
export async function rotateKey(
  db: Database,
  now: number,
  record: (transaction: Database) => Promise<void>,
): Promise<'created' | 'inProgress'> {
  const row = await newRow(randomBytes(9).toString('base64url'), now)
  return await runTransaction(db, async (transaction) => {
    await lock(transaction, 'signing_keys')
    const roles = findRoles(await rowsIn(transaction))
    if (roles?.next || (roles && roles.old.length > 0)) return 'inProgress'
    const created_at = Math.max(now, (roles?.signing.created_at ?? 0) + 1)
    await transaction
      .insertInto('signing_keys')
      .values({ ...row, created_at })
      .execute()
    await record(transaction)
    return 'created'
  })
}

async function rowsIn(db: Database): Promise<SigningKeyRow[]> {
  return await db.selectFrom('signing_keys').selectAll().execute()
}

async function newRow(id: string, now: number): Promise<SigningKeyRow> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const jwk: JWK = { ...(await exportJWK(privateKey)), alg: 'EdDSA', use: 'sig', kid: id }
  return { id, jwk: JSON.stringify(jwk), created_at: now, signs_since: null }
}

function getPairs({ signing, next, old }: KeyRoles<SigningKeyRow>): KeyRoles<SigningKey> {
  return { signing: getPair(signing), next: next && getPair(next), old: old.map(getPair) }
}

function getPair({ id, jwk }: SigningKeyRow): SigningKey {
  const whole = JSON.parse(jwk) as JWK
  const { d: _secret, ...publicJwk } = whole
  const privateKey = createPrivateKey({ key: whole as JsonWebKey, format: 'jwk' })
  if (privateKey.asymmetricKeyType !== 'ed25519')
    throw new Error('A signing key in the database is not an Ed25519 key.')
  return { kid: id, privateKey, publicJwk }
}

/** Time to distribute the next key before it signs. */
const keyDistributionMs = 600_000
/** How long the previous key stays trusted. */
const previousKeyTrustMs = 3_600_000

/** A signing key of the panel: next, current or old. */
interface KeyRow {
  readonly id: string
  readonly created_at: number
  readonly signs_since: number | null
}

/** The roles of the keys in the database. */
interface KeyRoles<K> {
  readonly signing: K
  /** Generated, and being distributed to the nodes. */
  readonly next: K | undefined
  /** Keys that signed before, oldest first. */
  readonly old: readonly K[]
}

/** The key that started signing last is current; newer ones are next, older ones are old. */
function findRoles<K extends KeyRow>(keys: readonly K[]): KeyRoles<K> | undefined {
  const byAge = keys.toSorted((a, b) => a.created_at - b.created_at || a.id.localeCompare(b.id))
  const signing = byAge.reduce<K | undefined>((best, key) => {
    if (!best) return key
    return (key.signs_since ?? -1) > (best.signs_since ?? -1) ? key : best
  }, undefined)
  if (!signing) return undefined
  const at = byAge.indexOf(signing)
  return { signing, next: byAge[at + 1], old: byAge.slice(0, at) }
}

/**
 * Whether the next key should start signing: every online node knows it, or its time is up. A panel that was down first
 * waits for reports, before it decides that no node is online.
 */
function shouldPromoteNext(next: KeyRow, onlineKnow: readonly boolean[], now: number): boolean {
  const age = now - next.created_at
  if (age >= keyDistributionMs) return true
  return age >= nodeSilenceMs && onlineKnow.every(Boolean)
}

/** Whether old keys can be deleted: nothing they signed is valid any more, and no node depends on them. */
function canRetireOld({ signing, old }: KeyRoles<KeyRow>, now: number): boolean {
  return old.length > 0 && now - (signing.signs_since ?? now) >= previousKeyTrustMs
}
