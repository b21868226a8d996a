import { Kbd, TextInput, type TextInputProps } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type Ref, useEffect, useRef } from 'react'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'

interface SearchInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly ref?: Ref<HTMLInputElement> | undefined
  readonly label: string
  /** What the shortcut `/` is called in the list of shortcuts. Absent: the list itself has one, or none. */
  readonly hotkeyLabel?: string
  /** Takes the focus when it appears, unless that would open the keyboard of a touch screen. */
  readonly focusesOnDesktop?: boolean
  /** Focuses the first row of the list. */
  readonly onEnterList?: (() => void) | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}

/**
 * Filters the list below it. The key `/` focuses it, Enter and the arrow down lead to the first row, and Esc clears it or, when
 * it is empty, leaves it.
 */
export function SearchInput(props: SearchInputProps) {
  const { label, hotkeyLabel, focusesOnDesktop = false, onEnterList, onChange, ...rest } = props
  const t = useT()
  const input = useRef<HTMLInputElement>(null)
  const hotkey = { keys: '/', label: hotkeyLabel ?? '', group: t('servers.List'), run: () => input.current?.focus() }
  useHotkeys(hotkeyLabel === undefined ? [] : [hotkey])
  useEffect(() => {
    if (focusesOnDesktop && window.matchMedia('(pointer: fine)').matches) input.current?.focus({ preventScroll: true })
  }, [focusesOnDesktop])
  return (
    <TextInput
      ref={input}
      className="ik-soft"
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={15} aria-hidden />}
      {...(hotkeyLabel !== undefined && {
        w: { base: '100%', sm: 320 },
        rightSection: <Kbd visibleFrom="sm">/</Kbd>,
      })}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        const { key, currentTarget } = event
        if (key === 'Escape' && currentTarget.value === '') currentTarget.blur()
        else if (key === 'Escape') onChange('')
        if (!onEnterList || event.nativeEvent.isComposing || (key !== 'Enter' && key !== 'ArrowDown')) return
        event.preventDefault()
        onEnterList()
      }}
      {...rest}
    />
  )
}
