import { Autocomplete, type AutocompleteProps, Stack, Text, TextInput } from '@mantine/core'
import type { ChangeEvent } from 'react'
import { useUserSearch } from '../../api/use-user-search.ts'
import { useCan } from '../../session/session.tsx'

interface EmailPickerProps
  extends Pick<
    AutocompleteProps,
    'size' | 'label' | 'placeholder' | 'error' | 'autoFocus' | 'aria-label' | 'onBlur' | 'onKeyDown'
  > {
  readonly 'data-path': string
  readonly 'data-autofocus'?: boolean
  readonly value: string
  readonly onChange: (email: string) => void
}

const inputProps = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, dir: 'ltr' } as const

/** An email address: with suggestions by username and address for users who may see other users. */
export function EmailPicker({ value, onChange, ...props }: EmailPickerProps) {
  const canSearch = useCan('users.view')
  const { users } = useUserSearch(value, canSearch)
  if (!canSearch) {
    const change = (event: ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.value)
    return <TextInput type="email" {...inputProps} {...props} value={value} onChange={change} />
  }
  const found = new Map(users.map(({ email, username }) => [email, username]))
  return (
    <Autocomplete
      inputMode="email"
      {...inputProps}
      data={[...found.keys()]}
      // The panel has filtered them: the username is not part of the option.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <Stack gap={0} miw={0}>
          <Text inherit truncate dir="auto">
            {found.get(option.value)}
          </Text>
          <Text variant="caption" truncate>
            <bdi dir="ltr">{option.value}</bdi>
          </Text>
        </Stack>
      )}
      {...props}
      value={value}
      onChange={onChange}
    />
  )
}
