import { z } from 'zod/mini'

/**
 * A list in a message between panel and node: items that this version does not know (permissions, events, channels of
 * a newer one) are dropped.
 */
export function knownItems<Item extends z.core.SomeType>(item: Item, max = Number.POSITIVE_INFINITY) {
  return z.pipe(
    z.array(z.catch(z.nullable(item), null)).check(z.maxLength(max)),
    z.transform((items) => items.filter((known) => known !== null) as z.output<Item>[]),
  )
}
