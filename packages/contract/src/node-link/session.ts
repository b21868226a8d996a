import { z } from 'zod/mini'
import { SessionTicket } from './ticket.ts'

/**
 * A session of a panel with a node. Both sides keep it in memory, so a restart of either ends it.
 */
export const NodeSession = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(50)),
  /** 32 random bytes, base64url. Sent over TLS, or over the socket of the local node. */
  key: z.string().check(z.regex(/^[\w-]{43}$/)),
  /** How long the node accepts it. */
  lifeMs: z.int().check(z.minimum(1_000)),
})
export type NodeSession = z.infer<typeof NodeSession>

/** The scheme of `Authorization` for a request within a session. */
const scheme = 'Session '

/** The header `Authorization` of a request within a session. `mac` returns the HMAC-SHA-256 of a text, base64url. */
export function formatSessionTicket(id: string, ticket: SessionTicket, mac: (text: string) => string): string {
  const text = `${id}.${Buffer.from(JSON.stringify(ticket)).toString('base64url')}`
  return `${scheme}${text}.${mac(text)}`
}

/** A ticket of a session before its verification. */
export interface UnverifiedSessionTicket {
  readonly id: string
  /** The text that `mac` is about. */
  readonly text: string
  readonly mac: string
  /** Call it after the verification. Throws for a ticket of another shape. */
  readonly read: () => SessionTicket
}

/** The parts of the header `Authorization`; `undefined` for one of another scheme. */
export function parseSessionTicket(authorization: string | undefined): UnverifiedSessionTicket | undefined {
  if (!authorization?.startsWith(scheme)) return undefined
  const [id = '', claims = '', mac = ''] = authorization.slice(scheme.length).split('.')
  const read = () => SessionTicket.parse(JSON.parse(Buffer.from(claims, 'base64url').toString()))
  return { id, text: `${id}.${claims}`, mac, read }
}
