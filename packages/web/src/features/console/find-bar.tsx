import { ActionIcon, Tooltip } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconSearch, IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import classes from './console.module.css'
import { mostMatches, type Query } from './finder.ts'

interface FindBarProps {
  readonly query: Query
  readonly onQuery: (query: Query) => void
  /** False when the text is half an expression. */
  readonly isValid: boolean
  readonly count: number
  /** Which match is current, from 1; 0 for none. */
  readonly position: number
  readonly onStep: (direction: -1 | 1) => void
  readonly onClose: () => void
}

/** Finds in the console: Enter and Shift+Enter step, Esc closes and keeps the place. */
export function FindBar({ query, onQuery, isValid, count, position, onStep, onClose }: FindBarProps) {
  const t = useT()
  const { number } = useFormatters()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.select(), [])

  const found = !isValid
    ? t('console.NotAnExpression')
    : query.text === ''
      ? ''
      : t('console.Found', {
          position: number(position),
          total: count >= mostMatches ? `${number(count)}+` : number(count),
        })
  return (
    <search className={classes.find} aria-label={t('console.Find')}>
      <IconSearch size={15} aria-hidden />
      <input
        ref={field}
        // biome-ignore lint/a11y/noAutofocus: it opens because a person asked to type here
        autoFocus
        value={query.text}
        aria-label={t('console.Find')}
        aria-invalid={!isValid}
        autoComplete="off"
        spellCheck={false}
        dir="ltr"
        onChange={(event) => onQuery({ ...query, text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? 1 : -1)
          else if (event.key === 'Escape') onClose()
          else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      <span className={classes.count} role="status">
        {found}
      </span>
      <Toggle
        label={t('console.MatchCase')}
        isOn={query.matchCase}
        onChange={(matchCase) => onQuery({ ...query, matchCase })}
      >
        Aa
      </Toggle>
      <Toggle
        label={t('console.Expression')}
        isOn={query.isRegex}
        onChange={(isRegex) => onQuery({ ...query, isRegex })}
      >
        .*
      </Toggle>
      <ActionIcon size={28} aria-label={t('console.Previous')} onClick={() => onStep(-1)}>
        <IconChevronUp size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon size={28} aria-label={t('console.Next')} onClick={() => onStep(1)}>
        <IconChevronDown size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon size={28} aria-label={t('console.CloseFind')} onClick={onClose}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </search>
  )
}

interface ToggleProps {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly children: ReactNode
}

function Toggle({ label, isOn, onChange, children }: ToggleProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        size={28}
        className={`${classes.tool} ${classes.letters}`}
        aria-label={label}
        aria-pressed={isOn}
        onClick={() => onChange(!isOn)}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
