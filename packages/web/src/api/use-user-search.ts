import { listUsers, type UserEntry } from '@innkeeper/contract/accounts/users'
import { limits } from '@innkeeper/contract/text/limits'
import { useDebouncedValue } from '@mantine/hooks'
import { useApiQuery } from './use-api.ts'

/** Delay between the last key press and the request. */
const searchDelayMs = 250

/** The users whose username or email contains the query: an exact username first. */
export function useUserSearch(query: string, canSearch: boolean) {
  const text = query.trim().toLowerCase().slice(0, limits.emailMax)
  const [searched] = useDebouncedValue(text, searchDelayMs)
  const found = useApiQuery(
    listUsers,
    { query: { page: 1, limit: limits.pageSize, username: `*${searched}*` } },
    { enabled: canSearch && searched !== '', staleTime: 60_000 },
  )
  // The query may have changed since the request: Enter selects the first option, which must match what is typed.
  const matches = ({ username, email }: UserEntry) =>
    text !== '' && [username, email].some((part) => part.toLowerCase().includes(text))
  const isExact = ({ username }: UserEntry) => username.toLowerCase() === text
  return {
    users: (found.data?.users ?? []).filter(matches).sort((a, b) => Number(isExact(b)) - Number(isExact(a))),
    isSearching: found.isFetching,
  }
}
