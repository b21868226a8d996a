import { limits } from '@innkeeper/contract/limits'
import { listUsers, type UserEntry } from '@innkeeper/contract/users'
import { useDebouncedValue } from '@mantine/hooks'
import { useApiQuery } from './use-api-query.ts'

/** Delay between the last key press and the request. */
const searchDelayMs = 250

/** The users whose username or email contains the query: an exact username first. */
export function useUserSearch(query: string, canSearch: boolean) {
  const text = query.trim().toLowerCase().slice(0, limits.usernameMax)
  const [searched] = useDebouncedValue(text, searchDelayMs)
  const options = { enabled: canSearch && searched !== '', staleTime: 60_000 }
  const page = { page: 1, limit: limits.pageSize }
  // 98 and two asterisks are the longest username that the endpoint accepts.
  const byName = useApiQuery(listUsers, { query: { ...page, username: `*${searched.slice(0, 98)}*` } }, options)
  const byEmail = useApiQuery(listUsers, { query: { ...page, email: `*${searched}*` } }, options)

  const users = new Map<number, UserEntry>()
  for (const user of [...(byName.data?.users ?? []), ...(byEmail.data?.users ?? [])]) {
    // The query may have changed since the request: Enter selects the first option, which must match what is typed.
    const matches = user.username.toLowerCase().includes(text) || user.email.toLowerCase().includes(text)
    if (text !== '' && matches) users.set(user.id, user)
  }
  const isExact = ({ username }: UserEntry) => username.toLowerCase() === text
  return {
    users: [...users.values()].sort((a, b) => Number(isExact(b)) - Number(isExact(a))),
    isSearching: byName.isFetching || byEmail.isFetching,
  }
}
