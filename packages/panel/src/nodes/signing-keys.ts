import { randomBytes, type webcrypto } from 'node:crypto'
import { limits } from '@innkeeper/contract/limits'
import { keySetAudience, type SignedKeySet } from '@innkeeper/contract/ticket'
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { insertIfAbsent, lock, runTransaction } from '../database/rows.ts'
import type { Database, Tables } from '../database/schema.ts'
import { canRetireOld, type KeyRoles, rolesOf, shouldPromoteNext } from './key-rotation.ts'
import type { NodeReports } from './reports.ts'

type SigningKeyRow = Tables['signing_keys']

const firstKeyId = 'tickets'

/** A key pair with which panels sign. */
interface SigningKey {
  readonly kid: string
  readonly privateKey: webcrypto.CryptoKey
  /** What nodes verify with; it holds no secret. */
  readonly publicJwk: JWK
}

interface Deps {
  readonly db: Database
  readonly reports: Pick<NodeReports, 'keysKnownOnline'>
  readonly now: () => number
}

export type SigningKeys = Awaited<ReturnType<typeof signingKeys>>

/** The keys of all panels on a database. Each holds them for `limits.signingKeysCacheMs`, and does what is due then. */
export async function signingKeys({ db, reports, now }: Deps) {
  let held: { readonly at: number; readonly roles: Promise<KeyRoles<SigningKey>> } | undefined

  async function load(): Promise<KeyRoles<SigningKey>> {
    const roles = rolesOf(await rowsIn(db))
    if (!roles) throw new Error('The signing keys are gone from the database: restore it from a backup.')
    if (!(await settle(roles))) return await pairsOf(roles)
    const settled = rolesOf(await rowsIn(db))
    return await pairsOf(settled ?? roles)
  }

  /** Lets the next key sign when it is time, and forgets the old ones. Whichever panel sees it first does it. */
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

  function roles(): Promise<KeyRoles<SigningKey>> {
    if (held && Math.abs(now() - held.at) < limits.signingKeysCacheMs) return held.roles
    const loading = { at: now(), roles: load() }
    held = loading
    loading.roles.catch(() => {
      if (held === loading) held = undefined
    })
    return loading.roles
  }

  if ((await rowsIn(db)).length === 0) await insertIfAbsent(db, 'signing_keys', await newRow(firstKeyId, now()))
  await roles()

  return {
    /** The key that signs now. */
    async signing(): Promise<SigningKey> {
      return (await roles()).signing
    },

    /** Every key that nodes are to believe, said once with each key by which a node may know us. */
    async signedKeySets(): Promise<string[]> {
      const { signing, next, old } = await roles()
      const keys = [...old, signing, ...(next ? [next] : [])].map(({ kid, publicJwk: { x = '' } }) => ({ kid, x }))
      const iat = Math.floor(now() / 1000)
      const said: SignedKeySet = { aud: keySetAudience, iat, exp: iat + limits.ticketLifeMs / 1000, keys }
      return await Promise.all(
        [...old, signing].map(({ kid, privateKey }) =>
          new SignJWT({ ...said }).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey),
        ),
      )
    },
  }
}

/** Makes the key that signs next, while there is none yet. `record` writes it down together with that. */
export async function rotateKey(
  db: Database,
  now: number,
  record: (transaction: Database) => Promise<void>,
): Promise<'made' | 'underWay'> {
  const row = await newRow(randomBytes(9).toString('base64url'), now)
  return await runTransaction(db, async (transaction) => {
    await lock(transaction, 'signing_keys')
    const roles = rolesOf(await rowsIn(transaction))
    if (roles?.next || (roles && roles.old.length > 0)) return 'underWay'
    const created_at = Math.max(now, (roles?.signing.created_at ?? 0) + 1)
    await transaction
      .insertInto('signing_keys')
      .values({ ...row, created_at })
      .execute()
    await record(transaction)
    return 'made'
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

async function pairsOf({ signing, next, old }: KeyRoles<SigningKeyRow>): Promise<KeyRoles<SigningKey>> {
  return {
    signing: await pairOf(signing),
    next: next && (await pairOf(next)),
    old: await Promise.all(old.map(pairOf)),
  }
}

async function pairOf({ id, jwk }: SigningKeyRow): Promise<SigningKey> {
  const whole = JSON.parse(jwk) as JWK
  const { d: _secret, ...publicJwk } = whole
  const privateKey = await importJWK(whole, 'EdDSA')
  if (privateKey instanceof Uint8Array) throw new Error('A signing key in the database is not an Ed25519 key.')
  return { kid: id, privateKey, publicJwk }
}
