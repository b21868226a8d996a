import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'

/** Whether an error is a refusal with one of these codes; without codes, any refusal. */
export function isRefusal(error: unknown, ...codes: readonly RefusalCode[]): error is Refusal {
  return error instanceof Refusal && (codes.length === 0 || codes.includes(error.code))
}

/** Returns a handler of rejections that ignores refusals with one of these codes; without codes, all refusals. */
export function ignoreRefusals(...codes: readonly RefusalCode[]): (error: unknown) => undefined {
  return (error) => {
    if (!isRefusal(error, ...codes)) throw error
  }
}
