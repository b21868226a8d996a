import { Kbd, TextInput, type TextInputProps } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useRef } from 'react'
import { useHotkeys } from '../hotkeys/hotkeys.tsx'
import { useT } from '../i18n/i18n.tsx'

interface SearchInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly label: string
  /** What the shortcut `/` is called in the list of shortcuts. */
  readonly hotkeyLabel: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Filters the list below it. The key `/` focuses it. */
export function SearchInput({ label, hotkeyLabel, onChange, ...rest }: SearchInputProps) {
  const t = useT()
  const input = useRef<HTMLInputElement>(null)
  useHotkeys([{ keys: '/', label: hotkeyLabel, group: t('servers.List'), run: () => input.current?.focus() }])
  return (
    <TextInput
      ref={input}
      className="ik-soft"
      w={{ base: '100%', sm: 320 }}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={<Kbd visibleFrom="sm">/</Kbd>}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...rest}
    />
  )
}
