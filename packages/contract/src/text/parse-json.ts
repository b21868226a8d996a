import type { z } from 'zod/mini'

/** Parses JSON. Returns undefined for invalid JSON, which no schema of an object accepts. */
export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses and validates JSON. Returns either the data or the error. */
export function safeParseJson<T>(
  schema: z.ZodMiniType<T>,
  text: string,
): { readonly data: T; readonly error?: undefined } | { readonly data?: undefined; readonly error: Error } {
  try {
    return { data: schema.parse(JSON.parse(text)) }
  } catch (error) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
}
