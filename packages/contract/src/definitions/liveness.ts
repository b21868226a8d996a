import { z } from 'zod/mini'
import { limits } from '../text/limits.ts'
import { patternProblem } from '../text/pattern.ts'
import type { Definition } from './definition.ts'

/** Seconds and numbers that a definition may have, and those that it has without saying so. */
export const livenessRanges = {
  interval: { min: 5, max: 3_600, default: 30 },
  timeout: { min: 1, max: 60, default: 5 },
  failures: { min: 1, max: 100, default: 3 },
  within: { min: 5, max: 86_400 },
  saving: { min: 1, max: 3_600 },
} as const
export const maxLivenessChecks = 5

const between = ({ min, max }: { readonly min: number; readonly max: number }) =>
  z.coerce.number().check(z.minimum(min), z.maximum(max))
const Text = z.string().check(z.minLength(1), z.maxLength(limits.commandBytes))
const Pattern = z.string().check(z.minLength(1), z.maxLength(limits.patternMax))

/**
 * What shows that a server responds: its game answers a query (`query` of the definition), a line of its output matches
 * after a command, or it has printed something within a time in seconds.
 */
export const LivenessCheck = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('query') }),
  z.looseObject({ type: z.literal('command'), command: Text, pattern: Pattern }),
  z.looseObject({ type: z.literal('output'), within: between(livenessRanges.within) }),
])
export type LivenessCheck = z.infer<typeof LivenessCheck>
export type LivenessCheckType = LivenessCheck['type']
export const livenessCheckTypes = ['query', 'command', 'output'] as const satisfies readonly LivenessCheckType[]

/** A save, during which a server need not respond. It begins with a command that is sent, or with a line of output. */
const Saving = z.looseObject({
  command: z.nullish(Text),
  pattern: z.nullish(Pattern),
  /** How long it may take. */
  seconds: between(livenessRanges.saving),
})

/** The field `liveness` of a definition: how it is found out whether a running server responds. */
export const Liveness = z.looseObject({
  /** A server responds when all of them succeed. */
  checks: z.array(LivenessCheck).check(z.minLength(1), z.maxLength(maxLivenessChecks)),
  /** Seconds between checks. */
  interval: z._default(between(livenessRanges.interval), livenessRanges.interval.default),
  /** Seconds that a query or a command may take. */
  timeout: z._default(between(livenessRanges.timeout), livenessRanges.timeout.default),
  /** Failures in a row after which the server counts as not responding. */
  failures: z._default(between(livenessRanges.failures), livenessRanges.failures.default),
  saving: z.nullish(Saving),
})
export type Liveness = z.infer<typeof Liveness>

/** How it is found out whether a server responds; undefined when the definition does not say it, or is not valid there. */
export function findLiveness(definition: Pick<Definition, 'liveness'>): Liveness | undefined {
  const { success, data } = Liveness.safeParse(definition.liveness)
  return success && findWrongPattern(data) === undefined ? data : undefined
}

/** What is wrong with the field `liveness`: a path in the definition, and why a pattern is not valid. */
export function problemOfLiveness(
  definition: Pick<Definition, 'liveness' | 'query'>,
): { readonly field: string; readonly reason?: string } | undefined {
  const { liveness } = definition
  if (liveness === undefined || liveness === null) return undefined
  const { success, data, error } = Liveness.safeParse(liveness)
  if (!success) return { field: ['liveness', ...(error.issues[0]?.path ?? [])].join('.') }
  const at = data.checks.findIndex(({ type }) => type === 'query')
  if (at >= 0 && (definition.query ?? undefined) === undefined) return { field: `liveness.checks.${at}.type` }
  return findWrongPattern(data)
}

function findWrongPattern({ checks, saving }: Liveness): { field: string; reason: string } | undefined {
  const patterns = checks.flatMap((check, at) =>
    check.type === 'command' ? [{ field: `liveness.checks.${at}.pattern`, pattern: check.pattern }] : [],
  )
  if (saving?.pattern) patterns.push({ field: 'liveness.saving.pattern', pattern: saving.pattern })
  for (const { field, pattern } of patterns) {
    const reason = patternProblem(pattern)
    if (reason !== undefined) return { field, reason }
  }
  return undefined
}
