import { limits } from '@innkeeper/contract/limits'
import { listUsers, type UserEntry } from '@innkeeper/contract/users'
import { Stack, TagsInput, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type KeyboardEvent, useState } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { RemovablePill } from '../../ui/removable-pill.tsx'

interface UserPickerProps {
  readonly label: string
  readonly description: string
  readonly error: string | undefined
  /** The usernames. */
  readonly value: readonly string[]
  readonly onChange: (usernames: string[]) => void
  /** The username that is not offered. */
  readonly exclude: string | undefined
  readonly maxUsers: number
}

/** Delay between the last key press and the request. */
const searchDelayMs = 250

/**
 * Selects users by username. It finds them by username and email when the user may see other users; all others enter
 * the usernames.
 */
export function UserPicker({ label, description, error, value, onChange, exclude, maxUsers }: UserPickerProps) {
  const t = useT()
  const canSearch = useCan('users.view')
  const [query, setQuery] = useState('')
  const { users, isSearching } = useUserSearch(query, canSearch)
  const found = new Map(users.filter(({ username }) => username !== exclude).map((user) => [user.username, user]))

  const onKeyDown = (event: KeyboardEvent) => {
    // Ctrl+Enter submits a form: here it adds the name first, which would be lost otherwise.
    if (event.key === 'Enter' && query.trim() !== '') event.nativeEvent.stopPropagation()
  }
  return (
    <TagsInput
      label={label}
      description={description}
      error={error}
      placeholder={t(canSearch ? 'users.Search' : 'common.Username')}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      data={[...found.keys()]}
      // The panel has filtered them: the email is not part of the option.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <Stack gap={0} miw={0}>
          <Text inherit truncate dir="auto">
            {option.value}
          </Text>
          <Text variant="caption" truncate>
            <bdi dir="ltr">{found.get(option.value)?.email ?? ''}</bdi>
          </Text>
        </Stack>
      )}
      renderPill={({ value: username = '', onRemove }) => (
        <RemovablePill label={username} removeLabel={t('users.PickerRemove', { username })} onRemove={onRemove} />
      )}
      splitChars={[',', ';', ' ']}
      maxTags={maxUsers}
      selectFirstOptionOnChange
      loading={isSearching}
      searchValue={query}
      onSearchChange={setQuery}
      onKeyDown={onKeyDown}
      value={[...value]}
      onChange={onChange}
    />
  )
}

/** The users whose username or email contains the query: an exact username first. */
function useUserSearch(query: string, canSearch: boolean) {
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
