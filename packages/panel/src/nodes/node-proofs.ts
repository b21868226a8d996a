import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { audienceOf, NodeToken, panelAudience } from '@innkeeper/contract/ticket'
import { UsedTokens } from '@innkeeper/contract/used-tokens'
import { decodeJwt, importJWK, type JWK, jwtVerify } from 'jose'
import { upsert } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'

interface Needs {
  readonly db: Database
  readonly now: () => number
}

export type NodeProofs = ReturnType<typeof nodeProofs>

/** Which node asks: the one that signed with the key that is kept for it, for this request, once. */
export function nodeProofs({ db, now }: Needs) {
  const used = new UsedTokens()

  async function keyOf(nodeId: number): Promise<JWK | undefined> {
    const row = await db.selectFrom('node_keys').select('jwk').where('node_id', '=', nodeId).executeTakeFirst()
    return row ? (JSON.parse(row.jwk) as JWK) : undefined
  }

  async function verified(token: string, nodeId: number, key: JWK): Promise<NodeToken> {
    const { payload } = await jwtVerify(token, await importJWK(key, 'EdDSA'), {
      algorithms: ['EdDSA', 'Ed25519'],
      issuer: audienceOf(nodeId),
      audience: panelAudience,
      maxTokenAge: limits.ticketLifeMs / 1000,
      clockTolerance: limits.clockSkewMs / 1000,
      currentDate: new Date(now()),
    })
    const read = NodeToken.parse(payload)
    if (read.exp - read.iat > limits.ticketLifeMs / 1000) throw new Error('The token lives too long.')
    return read
  }

  return {
    /** Keeps the public key of a node; what it signed with an earlier one is believed no longer. */
    async learn(nodeId: number, publicKey: JWK): Promise<void> {
      // One field after the other: a private key that got in here must not be stored.
      const { kty, crv, x } = publicKey
      const row = { node_id: nodeId, jwk: JSON.stringify({ kty, crv, x }), created_at: now() }
      await upsert(db, 'node_keys', ['node_id'], row)
    },

    /** The node that signed the token for this purpose. @throws Refusal for anything else. */
    async prove(token: string | undefined, purpose: string): Promise<{ readonly nodeId: number }> {
      const nodeId = token === undefined ? undefined : claimedBy(token)
      const key = nodeId === undefined ? undefined : await keyOf(nodeId)
      if (token === undefined || nodeId === undefined || !key) throw new Refusal('ErrTokenInvalid')
      const read = await verified(token, nodeId, key).catch((cause: unknown) => {
        throw new Refusal('ErrTokenInvalid', {}, { cause })
      })
      // Only when all else is right: a foreign token must not use up the real one.
      if (read.purpose !== purpose || !used.take(read.jti)) throw new Refusal('ErrTokenInvalid')
      return { nodeId }
    },
  }
}

/** The node that a token claims to be of, before anything is proven; `undefined` when it claims nothing. */
function claimedBy(token: string): number | undefined {
  try {
    return Number(NodeToken.shape.iss.parse(decodeJwt(token).iss).slice('node:'.length))
  } catch {
    return undefined
  }
}
