import type { webcrypto } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { insertIfAbsent } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'

const keyId = 'tickets'

/** The key pair with which the panel signs tickets. */
export interface SigningKey {
  readonly privateKey: webcrypto.CryptoKey
  /** What nodes verify with; it holds no secret. */
  readonly publicJwk: JWK
}

/** The panel's key, made once and kept in the database: every panel on it signs with the same. */
export async function signingKey(db: Database, now: number): Promise<SigningKey> {
  const held = (await readKey(db)) ?? (await makeKey(db, now))
  const { d: _secret, ...publicJwk } = held
  const privateKey = await importJWK(held, 'EdDSA')
  if (privateKey instanceof Uint8Array) throw new Error('The signing key in the database is not an Ed25519 key.')
  return { privateKey, publicJwk }
}

async function readKey(db: Database): Promise<JWK | undefined> {
  const row = await db.selectFrom('signing_keys').select('jwk').where('id', '=', keyId).executeTakeFirst()
  return row ? (JSON.parse(row.jwk) as JWK) : undefined
}

async function makeKey(db: Database, now: number): Promise<JWK> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const jwk: JWK = { ...(await exportJWK(privateKey)), alg: 'EdDSA', use: 'sig', kid: keyId }
  const row = { id: keyId, jwk: JSON.stringify(jwk), created_at: now }
  const isFirst = await insertIfAbsent(db, 'signing_keys', row)
  const held = isFirst ? jwk : await readKey(db)
  if (!held) throw new Error('The signing key cannot be read back from the database.')
  return held
}
