import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'

const maxUses = 1_000
const maxHours = 365 * 24

/** A token with which new machines register themselves as nodes. */
export const JoinToken = z.object({
  id: z.string(),
  /** How many nodes can still join. */
  usesLeft: z.number(),
  uses: z.number(),
  /** ISO 8601. */
  expiresAt: z.string(),
  createdAt: z.string(),
  createdBy: z.string(),
})
export type JoinToken = z.infer<typeof JoinToken>

/** Tokens that have not expired, newest first. */
export const listJoinTokens = endpoint('GET', '/api/nodes/join-tokens', {
  access: { scope: 'nodes.edit' },
  response: z.array(JoinToken),
})

/** The token is in the response only: `config` is the configuration file for all machines, as JSON text. */
export const createJoinToken = endpoint('POST', '/api/nodes/join-tokens', {
  access: { scope: 'nodes.edit' },
  audit: 'node.joinToken.create',
  body: z.object({
    uses: z.int().check(z.minimum(1), z.maximum(maxUses)),
    /** Until it expires. */
    hours: z.int().check(z.minimum(1), z.maximum(maxHours)),
  }),
  response: z.object({ id: z.string(), token: z.string(), config: z.string() }),
})

/** Nodes that have joined stay. */
export const revokeJoinToken = endpoint('DELETE', '/api/nodes/join-tokens/:token', {
  access: { scope: 'nodes.edit' },
  audit: 'node.joinToken.revoke',
  params: z.object({ token: z.string().check(z.maxLength(50)) }),
})
