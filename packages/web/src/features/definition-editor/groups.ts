import { isObject, isSame, partAt, type Raw, withPart } from './raw.ts'

/** The groups of variables, as they come on the settings of a server. */
export function groupsIn(raw: Raw): readonly Raw[] {
  const held = partAt(raw, ['groups'])
  return (Array.isArray(held) ? held.filter(isObject) : []).toSorted((one, other) => placeOf(one) - placeOf(other))
}

/** With these groups in this order; places that were written down and say another are written anew. */
export function withGroups(raw: Raw, groups: readonly Raw[]): Raw {
  if (groups.length === 0) return withPart(raw, ['groups'], undefined)
  const changed = withPart(raw, ['groups'], groups)
  if (isSame(groupsIn(changed), groups)) return changed
  return withPart(
    raw,
    ['groups'],
    groups.map((group, index) => ({ ...group, order: index + 1 })),
  )
}

const placeOf = ({ order }: Raw): number => (Number.isFinite(Number(order)) ? Number(order) : 0)
