import { z } from 'zod'
import { isRefusalCode, Refusal, refusals } from './refusals.ts'

/** What goes over the wire instead of an answer: `{"error":{"msg","code","metadata"}}`. */
export const RefusalEnvelope = z.object({
  error: z.object({
    msg: z.string().optional(),
    code: z.string(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
})
export type RefusalEnvelope = z.infer<typeof RefusalEnvelope>

/** Keeps the placeholders in `msg`, as published clients expect, and the values in `metadata`. */
export function envelopeOf(refusal: Refusal): RefusalEnvelope {
  const metadata = Object.keys(refusal.metadata).length > 0 ? { metadata: refusal.metadata } : {}
  return { error: { msg: refusals[refusal.code][1], code: refusal.code, ...metadata } }
}

/** The refusal that an envelope carries; `undefined` when the body is none. */
export function refusalFrom(body: unknown): Refusal | undefined {
  const read = RefusalEnvelope.safeParse(body)
  if (!read.success) return undefined
  const { code, metadata = {} } = read.data.error
  const plain = Object.entries(metadata).filter((entry): entry is [string, string | number | boolean] =>
    ['string', 'number', 'boolean'].includes(typeof entry[1]),
  )
  return new Refusal(isRefusalCode(code) ? code : 'ErrUnknownError', Object.fromEntries(plain))
}
