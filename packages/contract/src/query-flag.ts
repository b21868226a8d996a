import { z } from 'zod'

/** A query flag: `flag=true`, or `flag` without a value, sets it; `flag=false` or a missing flag does not. */
export const QueryFlag = z
  .string()
  .optional()
  .transform((value) => value !== undefined && value.toLowerCase() !== 'false')
