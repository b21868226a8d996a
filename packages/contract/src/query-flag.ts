import { z } from 'zod'

/** A flag in a query: `flag=true`, or `flag` without a value, sets it; `flag=false` or no flag does not. */
export const QueryFlag = z
  .string()
  .optional()
  .transform((value) => value !== undefined && value.toLowerCase() !== 'false')
