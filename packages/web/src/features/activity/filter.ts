import { type ActivityResult, activityResults } from '@innkeeper/contract/activity'

/** What of the activity is shown. Days are those of this browser, as `2026-11-21`. */
export interface ActivityFilter {
  readonly user: string
  /** An action, or all of a subject: `server.*`. Empty for any. */
  readonly action: string
  readonly result: ActivityResult | ''
  readonly from: string
  readonly to: string
  readonly page: number
}

export const wholeActivity: ActivityFilter = { user: '', action: '', result: '', from: '', to: '', page: 1 }

export function isWhole(filter: ActivityFilter): boolean {
  return Object.keys(queryOf({ ...filter, page: 1 })).length === 1
}

/** The filter as the panel is asked: what is not set is left out. The last day counts to its end. */
export function queryOf({ user, action, result, from, to, page }: ActivityFilter) {
  const [first, last] = [startOf(from), startOf(to)]
  if (last) last.setDate(last.getDate() + 1)
  return {
    page,
    ...(user.trim() === '' ? {} : { user: user.trim() }),
    ...(action === '' ? {} : { action }),
    ...(result === '' ? {} : { result }),
    ...(first ? { from: first.toISOString() } : {}),
    ...(last ? { to: last.toISOString() } : {}),
  }
}

function startOf(day: string): Date | undefined {
  const date = /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00`) : undefined
  return date && !Number.isNaN(date.getTime()) ? date : undefined
}

/** The filter that an address names; what it does not understand counts as not set. */
export function filterFrom(search: URLSearchParams): ActivityFilter {
  const page = Number(search.get('page'))
  return {
    user: search.get('user') ?? '',
    action: search.get('action') ?? '',
    result: activityResults.find((result) => result === search.get('result')) ?? '',
    from: search.get('from') ?? '',
    to: search.get('to') ?? '',
    page: Number.isInteger(page) && page > 0 ? page : 1,
  }
}

/** The filter in an address, beside what else stands there. */
export function withFilter(search: URLSearchParams, filter: ActivityFilter): URLSearchParams {
  const changed = new URLSearchParams(search)
  for (const [name, value] of Object.entries(filter)) {
    const isSet = name === 'page' ? value !== 1 : value !== ''
    if (isSet) changed.set(name, String(value))
    else changed.delete(name)
  }
  return changed
}
