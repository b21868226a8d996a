import { ActionIcon, Paper, Text, TextInput, Tooltip } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconSearch, IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import classes from './console.module.css'
import { maxMatches } from './search-index.ts'
import type { Find } from './use-find.ts'

/** The search field of the console: Enter and Shift+Enter step through the matches, Esc closes it. */
export function FindBar({ find, onClose }: { find: Find; onClose: () => void }) {
  const t = useT()
  const { number } = useFormatters()
  const { query, isValid, count, position, search, step } = find
  const inputRef = useRef<HTMLInputElement>(null)
  useEffect(() => inputRef.current?.select(), [])

  const result = !isValid
    ? t('console.InvalidRegex')
    : query.text === ''
      ? ''
      : t('common.PositionOf', {
          position: number(position),
          total: count >= maxMatches ? `${number(count)}+` : number(count),
        })
  return (
    <Paper component="search" className={classes.find} shadow="md" radius={10} aria-label={t('console.Find')}>
      <TextInput
        ref={inputRef}
        className={classes.findInput}
        variant="unstyled"
        autoFocus
        leftSection={<IconSearch size={15} aria-hidden />}
        value={query.text}
        aria-label={t('console.Find')}
        error={!isValid}
        withErrorStyles={false}
        autoComplete="off"
        spellCheck={false}
        dir="ltr"
        onChange={(event) => search({ ...query, text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? 1 : -1)
          else if (event.key === 'Escape') onClose()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      <Text className={classes.findResult} role="status">
        {result}
      </Text>
      <Toggle
        label={t('console.MatchCase')}
        isActive={query.matchCase}
        onChange={(matchCase) => search({ ...query, matchCase })}
      >
        Aa
      </Toggle>
      <Toggle label={t('console.Regex')} isActive={query.isRegex} onChange={(isRegex) => search({ ...query, isRegex })}>
        .*
      </Toggle>
      <ActionIcon size={28} aria-label={t('console.PreviousMatch')} onClick={() => step(-1)}>
        <IconChevronUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon size={28} aria-label={t('console.NextMatch')} onClick={() => step(1)}>
        <IconChevronDown size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon size={28} aria-label={t('console.CloseFind')} onClick={onClose}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </Paper>
  )
}

interface ToggleProps {
  readonly label: string
  readonly isActive: boolean
  readonly onChange: (isActive: boolean) => void
  readonly children: ReactNode
}

function Toggle({ label, isActive, onChange, children }: ToggleProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        size={28}
        className={classes.tool}
        ff="monospace"
        fz="xs"
        fw={600}
        aria-label={label}
        aria-pressed={isActive}
        onClick={() => onChange(!isActive)}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
