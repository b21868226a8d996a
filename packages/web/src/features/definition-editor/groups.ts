import isEqual from 'fast-deep-equal'
import { isObject, type JsonObject, setIn } from './json-path.ts'

/** The groups of variables in the order of a server's settings. */
export function getGroups({ groups }: JsonObject): readonly JsonObject[] {
  return (Array.isArray(groups) ? groups.filter(isObject) : []).toSorted((a, b) => getOrder(a) - getOrder(b))
}

/** Sets the groups in this order. Their `order` fields are rewritten only when they would sort them differently. */
export function setGroups(raw: JsonObject, groups: readonly JsonObject[]): JsonObject {
  if (groups.length === 0) return setIn(raw, ['groups'], undefined)
  const changed = setIn(raw, ['groups'], groups)
  if (isEqual(getGroups(changed), groups)) return changed
  const numbered = groups.map((group, index) => ({ ...group, order: index + 1 }))
  return setIn(raw, ['groups'], numbered)
}

const getOrder = ({ order }: JsonObject): number => (Number.isFinite(Number(order)) ? Number(order) : 0)
