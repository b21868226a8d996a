import { z } from 'zod/mini'
import { displayedText } from './one-line.ts'
import { isRefusalCode, Refusal, refusals } from './refusals.ts'

/** The error response body: `{"error":{"msg","code","metadata"}}`. */
export const RefusalEnvelope = z.object({
  error: z.object({
    msg: z.optional(z.string()),
    code: z.string(),
    metadata: z.optional(z.record(z.string(), z.unknown())),
  }),
})
export type RefusalEnvelope = z.infer<typeof RefusalEnvelope>

/** An error reported as data: a part of another response or message. */
export const ReportedError = RefusalEnvelope.shape.error
export type ReportedError = z.infer<typeof ReportedError>

/** Placeholders stay in `msg`, as existing clients expect, with their values in `metadata`. */
export function toEnvelope(refusal: Refusal): RefusalEnvelope {
  const metadata = Object.keys(refusal.metadata).length > 0 ? { metadata: refusal.metadata } : {}
  const { code, msg } = refusal.unknown ?? { code: refusal.code, msg: refusals[refusal.code][1] }
  return { error: { msg, code, ...metadata } }
}

/** Longer messages of another version are truncated. */
const longestMessage = 1_000

/**
 * Parses an error response; `undefined` for any other body. A code that this version does not know, for example of a
 * newer node, keeps its code, message and `status`.
 */
export function refusalFrom(body: unknown, status?: number): Refusal | undefined {
  const read = RefusalEnvelope.safeParse(body)
  if (!read.success) return undefined
  const { code, msg = '', metadata = {} } = read.data.error
  const plain = Object.entries(metadata).filter((entry): entry is [string, string | number | boolean] =>
    ['string', 'number', 'boolean'].includes(typeof entry[1]),
  )
  const values = Object.fromEntries(plain)
  if (isRefusalCode(code)) return new Refusal(code, values)
  if (!/^Err[A-Za-z0-9]{1,60}$/.test(code)) return new Refusal('ErrUnknownError', values)
  const isError = status !== undefined && status >= 400 && status <= 599
  const unknown = { code, msg: displayedText(msg, longestMessage), status: isError ? status : undefined }
  return new Refusal('ErrUnknownError', values, { unknown })
}
