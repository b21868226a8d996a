import { browserStorage } from '../../api/storage.ts'

const maxRecent = 3
const getStorageKey = (userId: number) => `innkeeper.recentTemplates.${userId}`

/** The IDs of the templates that the user last created servers from in this browser, the last one first. */
export function readRecentTemplates(userId: number | undefined): readonly string[] {
  if (userId === undefined) return []
  try {
    const stored: unknown = JSON.parse(browserStorage.get(getStorageKey(userId)) ?? '[]')
    return Array.isArray(stored) ? stored.filter((name) => typeof name === 'string').slice(0, maxRecent) : []
  } catch {
    // Not JSON: no recent templates.
    return []
  }
}

export function addRecentTemplate(userId: number | undefined, name: string): void {
  if (userId === undefined) return
  const names = [name, ...readRecentTemplates(userId).filter((other) => other !== name)]
  browserStorage.set(getStorageKey(userId), JSON.stringify(names.slice(0, maxRecent)))
}
