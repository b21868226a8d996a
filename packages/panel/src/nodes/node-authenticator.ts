import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { ReplayCache } from '@innkeeper/contract/replay-cache'
import { audienceOf, NodeToken, panelAudience } from '@innkeeper/contract/ticket'
import { decodeJwt, importJWK, type JWK, jwtVerify } from 'jose'
import type { RateLimiter } from '../auth/rate-limiter.ts'
import type { Database } from '../database/schema.ts'

interface Deps {
  readonly db: Database
  readonly limiter: Pick<RateLimiter, 'claimOnce'>
  /** Hears of a node whose clock is so wrong that it is not believed. */
  readonly onSkew: (nodeId: number, skewMs: number) => Promise<void>
  readonly now: () => number
}

/** How long a token could be shown at most, by the clock of any panel. */
const tokenLifeMs = limits.ticketLifeMs + 2 * limits.clockSkewMs

export type NodeAuthenticator = ReturnType<typeof nodeAuthenticator>

/** Which node asks: the one that signed with the key that is kept for it, for this request, once. */
export function nodeAuthenticator({ db, limiter, onSkew, now }: Deps) {
  const used = new ReplayCache()

  async function keyOf(nodeId: number): Promise<JWK | undefined> {
    const row = await db.selectFrom('node_keys').select('jwk').where('node_id', '=', nodeId).executeTakeFirst()
    return row ? (JSON.parse(row.jwk) as JWK) : undefined
  }

  /** How far a clock is ahead that signed what would be right at another time; `undefined` when it is not the time. */
  async function skewOf(token: string, nodeId: number, key: JWK): Promise<number | undefined> {
    const { iat } = decodeJwt(token)
    if (iat === undefined) return undefined
    const skew = iat * 1000 - now()
    if (Math.abs(skew) <= limits.clockSkewMs) return undefined
    const atItsTime = {
      algorithms: ['EdDSA', 'Ed25519'],
      issuer: audienceOf(nodeId),
      currentDate: new Date(iat * 1000),
    }
    try {
      await jwtVerify(token, await importJWK(key, 'EdDSA'), { ...atItsTime, audience: panelAudience })
      return skew
    } catch {
      // Not of the node at all: whoever asks is told no more than that.
      return undefined
    }
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
    /** The node that signed the token for this purpose. @throws Refusal for anything else. */
    async authenticate(token: string | undefined, purpose: string): Promise<{ readonly nodeId: number }> {
      const nodeId = token === undefined ? undefined : claimedNodeId(token)
      const key = nodeId === undefined ? undefined : await keyOf(nodeId)
      if (token === undefined || nodeId === undefined || !key) throw new Refusal('ErrTokenInvalid')
      const read = await verified(token, nodeId, key).catch(async (cause: unknown) => {
        const skewMs = await skewOf(token, nodeId, key)
        if (skewMs === undefined) throw new Refusal('ErrTokenInvalid', {}, { cause })
        await onSkew(nodeId, skewMs)
        throw new Refusal('ErrClockSkew', { skewMs }, { cause })
      })
      // Only when all else is right: a foreign token must not use up the real one.
      if (read.purpose !== purpose || !used.add(read.jti)) throw new Refusal('ErrTokenInvalid')
      // Nor may another panel have seen it.
      if (!(await limiter.claimOnce(`token of node ${nodeId}: ${read.jti}`, tokenLifeMs)))
        throw new Refusal('ErrTokenInvalid')
      return { nodeId }
    },
  }
}

/** The node that a token claims to be of, before anything is proven; `undefined` when it claims nothing. */
function claimedNodeId(token: string): number | undefined {
  try {
    return Number(NodeToken.shape.iss.parse(decodeJwt(token).iss).slice('node:'.length))
  } catch {
    return undefined
  }
}
