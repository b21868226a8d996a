import { Refusal } from '@innkeeper/contract/errors/refusals'
import { ReplayCache } from '@innkeeper/contract/jobs/replay-cache'
import { getAudience, NodeToken, panelAudience } from '@innkeeper/contract/node-link/ticket'
import { limits } from '@innkeeper/contract/text/limits'
import { decodeJwt, importJWK, type JWK, jwtVerify } from 'jose'
import type { Database } from '../database/schema.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'

interface Deps {
  readonly db: Database
  readonly limiter: Pick<RateLimiter, 'claimOnce'>
  /** Called when the clock of a node is too far off to be trusted. */
  readonly onSkew: (nodeId: number, skewMs: number) => Promise<void>
  readonly now: () => number
}

/** Maximum lifetime of a token, by the clock of any panel. */
const tokenLifeMs = limits.ticketLifeMs + 2 * limits.clockSkewMs

export type NodeAuthenticator = ReturnType<typeof nodeAuthenticator>

/** Authenticates nodes by their signed one-time token for this request. */
export function nodeAuthenticator({ db, limiter, onSkew, now }: Deps) {
  const used = new ReplayCache()

  async function readKey(nodeId: number): Promise<JWK | undefined> {
    const row = await db.selectFrom('node_keys').select('jwk').where('node_id', '=', nodeId).executeTakeFirst()
    return row ? (JSON.parse(row.jwk) as JWK) : undefined
  }

  /** The clock offset of a token that would be valid at another time; `undefined` otherwise. */
  async function readSkew(token: string, nodeId: number, key: JWK): Promise<number | undefined> {
    const { iat } = decodeJwt(token)
    if (iat === undefined) return undefined
    const skew = iat * 1000 - now()
    if (Math.abs(skew) <= limits.clockSkewMs) return undefined
    const atItsTime = {
      algorithms: ['EdDSA', 'Ed25519'],
      issuer: getAudience(nodeId),
      currentDate: new Date(iat * 1000),
    }
    try {
      await jwtVerify(token, await importJWK(key, 'EdDSA'), { ...atItsTime, audience: panelAudience })
      return skew
    } catch {
      // Not signed by the node: no details are returned.
      return undefined
    }
  }

  async function verified(token: string, nodeId: number, key: JWK): Promise<NodeToken> {
    const { payload } = await jwtVerify(token, await importJWK(key, 'EdDSA'), {
      algorithms: ['EdDSA', 'Ed25519'],
      issuer: getAudience(nodeId),
      audience: panelAudience,
      maxTokenAge: limits.ticketLifeMs / 1000,
      clockTolerance: limits.clockSkewMs / 1000,
      currentDate: new Date(now()),
    })
    const read = NodeToken.parse(payload)
    if (read.exp - read.iat > limits.ticketLifeMs / 1000) throw new Error('The lifetime of the token is too long.')
    return read
  }

  return {
    /**
     * Returns the node that signed the token for this purpose.
     * @throws Refusal for any other token
     */
    async authenticate(token: string | undefined, purpose: string): Promise<{ readonly nodeId: number }> {
      const nodeId = token === undefined ? undefined : claimedNodeId(token)
      const key = nodeId === undefined ? undefined : await readKey(nodeId)
      if (token === undefined || nodeId === undefined || !key) throw new Refusal('ErrTokenInvalid')
      const read = await verified(token, nodeId, key).catch(async (cause: unknown) => {
        const skewMs = await readSkew(token, nodeId, key)
        if (skewMs === undefined) throw new Refusal('ErrTokenInvalid', {}, { cause })
        await onSkew(nodeId, skewMs)
        throw new Refusal('ErrClockSkew', { skewMs }, { cause })
      })
      // After all other checks: an invalid token must not invalidate the real one.
      if (read.purpose !== purpose || !used.add(read.jti)) throw new Refusal('ErrTokenInvalid')
      // Rejects replays that another panel has accepted.
      if (!(await limiter.claimOnce(`token of node ${nodeId}: ${read.jti}`, tokenLifeMs)))
        throw new Refusal('ErrTokenInvalid')
      return { nodeId }
    },
  }
}

/** The node ID that a token claims, before verification; `undefined` if there is none. */
function claimedNodeId(token: string): number | undefined {
  try {
    return Number(NodeToken.shape.iss.parse(decodeJwt(token).iss).slice('node:'.length))
  } catch {
    return undefined
  }
}
