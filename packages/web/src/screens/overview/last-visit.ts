/** Visits that are nearer to each other are one: a page that is loaded again shows the same news. */
const sameVisitMs = 60 * 60_000

/** Times of visits, ISO 8601. */
export interface Visits {
  /** The end of the visit before this one; missing on the first visit. */
  readonly previous?: string | undefined
  readonly latest: string
}

/** The visits after one more. */
export function addVisit(visits: Visits | undefined, now: Date): Visits {
  const latest = now.toISOString()
  if (!visits) return { latest }
  const isSame = now.getTime() - Date.parse(visits.latest) < sameVisitMs
  return { previous: isSame ? visits.previous : visits.latest, latest }
}

export function parseVisits(value: unknown): Visits | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { previous, latest } = value as Partial<Record<keyof Visits, unknown>>
  if (!isTime(latest)) return undefined
  return { latest, ...(isTime(previous) && { previous }) }
}

const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value))
