import { z } from 'zod/mini'

/** A flag, also as text. */
export const Flag = z.union([
  z.boolean(),
  z.pipe(
    z.enum(['true', 'false']),
    z.transform((text) => text === 'true'),
  ),
])
