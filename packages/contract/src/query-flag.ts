import { z } from 'zod/mini'

/** A query flag: `flag=true`, or `flag` without a value, sets it; `flag=false` or a missing flag does not. */
export const QueryFlag = z.pipe(
  z.optional(z.string()),
  z.transform((value) => value !== undefined && value.toLowerCase() !== 'false'),
)
