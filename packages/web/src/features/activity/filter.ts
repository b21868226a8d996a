import { type ActivityResult, activityResults } from '@innkeeper/contract/activity/activity'

/** Which activity is shown. Empty means any. Dates are in the time zone of the browser: `2026-11-21`. */
export interface ActivityFilter {
  readonly user: string
  /** An action, or all actions of a subject: `server.*`. */
  readonly action: string
  readonly result: ActivityResult | ''
  readonly from: string
  readonly to: string
  readonly page: number
}

export const noFilter: ActivityFilter = { user: '', action: '', result: '', from: '', to: '', page: 1 }

export function isUnfiltered(filter: ActivityFilter): boolean {
  return Object.keys(toQuery({ ...filter, page: 1 })).length === 1
}

/** The query of the endpoint, without empty values. The last date is included. */
export function toQuery({ user, action, result, from, to, page }: ActivityFilter) {
  const [start, end] = [parseDate(from), parseDate(to)]
  if (end) end.setDate(end.getDate() + 1)
  return {
    page,
    ...(user.trim() === '' ? {} : { user: user.trim() }),
    ...(action === '' ? {} : { action }),
    ...(result === '' ? {} : { result }),
    ...(start ? { from: start.toISOString() } : {}),
    ...(end ? { to: end.toISOString() } : {}),
  }
}

function parseDate(text: string): Date | undefined {
  const date = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00`) : undefined
  return date && !Number.isNaN(date.getTime()) ? date : undefined
}

/** Reads the filter from the address. Invalid values count as empty. */
export function parseFilter(search: URLSearchParams): ActivityFilter {
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

/** Returns the parameters with the filter; parameters of others stay. */
export function setFilterParams(search: URLSearchParams, filter: ActivityFilter): URLSearchParams {
  const params = new URLSearchParams(search)
  for (const [name, value] of Object.entries(filter)) {
    if (value === noFilter[name as keyof ActivityFilter]) params.delete(name)
    else params.set(name, String(value))
  }
  return params
}
