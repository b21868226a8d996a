import { z } from 'zod/mini'
import { parseJsonOrUndefined } from '../text/parse-json.ts'

/**
 * Console output that a panel gets once for all its viewers of a server, on the socket `/daemon/output/{id}`. Each viewer
 * also has a live socket of its own, and begins with output from that. On it, panel and node send each other binary
 * frames, which are not forwarded to or from viewers.
 */

/** From the panel: it will send output to the viewer itself. The response is `shared`. */
const ShareRequest = z.object({ type: z.literal('share') })
type ShareRequest = z.infer<typeof ShareRequest>

const ShareResponse = z.discriminatedUnion('type', [
  /** The node has sent all output before the position, and sends no more. Later output is on the shared socket. */
  z.object({ type: z.literal('shared'), to: z.int().check(z.minimum(0)) }),
  /** Because of a `replay` the node sends output again, from the next frame on, until another request. */
  z.object({ type: z.literal('unshared') }),
])
export type ShareResponse = z.infer<typeof ShareResponse>

export const shareRequest = encode({ type: 'share' })

export function isShareRequest(frame: Buffer): boolean {
  return ShareRequest.safeParse(parseJsonOrUndefined(frame.toString())).success
}

/** Undefined for an unknown message. */
export function parseShareResponse(frame: Buffer): ShareResponse | undefined {
  return ShareResponse.safeParse(parseJsonOrUndefined(frame.toString())).data
}

export function encode(message: ShareRequest | ShareResponse): Buffer {
  return Buffer.from(JSON.stringify(message))
}
