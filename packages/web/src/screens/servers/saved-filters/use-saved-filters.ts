import { useJsonPreference } from '../../../session/preferences.tsx'

/** A named filter with its sorting. */
export interface SavedFilter {
  readonly name: string
  /** As the search params of the list, see `writeFilter`. */
  readonly params: Readonly<Record<string, string>>
}

/** With these limits the longest possible list fits into a user setting. */
export const savedFilterLimits = { filters: 30, nameLength: 40 }

const none: readonly SavedFilter[] = []

/** The saved filters of the user. */
export function useSavedFilters() {
  return useJsonPreference('serverFilters', parseSavedFilters, none)
}

function parseSavedFilters(value: unknown): readonly SavedFilter[] | undefined {
  return Array.isArray(value) ? value.filter(isSavedFilter) : undefined
}

function isSavedFilter(value: unknown): value is SavedFilter {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('params' in value)) return false
  const { name, params } = value
  return (
    typeof name === 'string' &&
    typeof params === 'object' &&
    params !== null &&
    Object.values(params).every((param) => typeof param === 'string')
  )
}

const nameKey = (name: string) => name.trim().toLocaleLowerCase()

/** Adds a filter; one with the same name is replaced. */
export function addFilter(filters: readonly SavedFilter[], added: SavedFilter): readonly SavedFilter[] {
  const others = filters.filter(({ name }) => nameKey(name) !== nameKey(added.name))
  return [...others, { ...added, name: added.name.trim() }]
}

/** Whether two filters have the same name, or one has none. */
export function hasInvalidNames(filters: readonly SavedFilter[]): boolean {
  const names = filters.map(({ name }) => nameKey(name))
  return names.includes('') || new Set(names).size < names.length
}
