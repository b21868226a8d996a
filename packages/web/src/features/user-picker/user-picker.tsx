import { Stack, TagsInput, Text } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'
import { useUserSearch } from '../../api/use-user-search.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { RemovablePill } from '../../ui/fields/removable-pill.tsx'

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
