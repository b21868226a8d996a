import { z } from 'zod/mini'

/** The countdown before a restart or stop: a message to all players at some minutes before its end. */

export const countdownMinutesMax = 180
export const countdownMessagesMax = 20
export const defaultCountdownMinutes: readonly number[] = [10, 5, 1]
export const defaultCountdownMessage = 'The server restarts in {minutes} min'

/** Minutes before the end, the largest first: a list, or numbers in one text. Missing or empty: the default. */
export const CountdownMinutes = z.pipe(
  z.pipe(
    z.transform((input) => {
      const items: unknown[] = typeof input === 'string' ? input.split(/[\s,;]+/).filter(Boolean) : [input ?? []].flat()
      const numbers = items.map((item) =>
        typeof item === 'string' && /^ *\d{1,4} *$/.test(item) ? Number(item) : item,
      )
      return numbers.length === 0 ? defaultCountdownMinutes : numbers
    }),
    z.array(z.int().check(z.minimum(1), z.maximum(countdownMinutesMax))).check(z.maxLength(countdownMessagesMax)),
  ),
  z.transform((minutes) => [...new Set(minutes)].sort((a, b) => b - a)),
)

/** The message with the remaining minutes in place of `{minutes}`. */
export function toCountdownText(message: string, minutes: number): string {
  return message.replaceAll('{minutes}', String(minutes))
}
