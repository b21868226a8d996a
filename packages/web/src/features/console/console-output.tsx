import { ActionIcon, Anchor, Button, Paper, Text, TextInput } from '@mantine/core'
import { IconArrowDown, IconChevronDown, IconChevronUp, IconCircleFilled, IconSearch, IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import type { Lines } from './buffer.ts'
import classes from './console.module.css'
import { LogList } from './log-list.tsx'
import { maxMatches } from './search-index.ts'
import type { ConsoleState } from './use-console.ts'
import { useAnimationFrameUpdates } from './use-console-view.ts'
import type { Find } from './use-find.ts'

/** The lines of the console, and what lies over them: the search and the way back to the end. */
export function ConsoleOutput({
  view,
  find,
  preferences,
  scrollerRef,
  disabledReason,
  setIsHistoryOpen,
}: ConsoleState) {
  const t = useT()
  const isStale = disabledReason === 'panel' || disabledReason === 'node'
  return (
    <div className={`${classes.output} ${isStale ? classes.stale : ''}`}>
      <LogList
        lines={view.lines}
        isFollowing={view.isFollowing}
        onFollowChange={view.follow}
        preferences={preferences}
        searchIndex={find.searchIndex}
        current={find.current}
        scrollerRef={scrollerRef}
        head={
          view.lines.first > 0 ? (
            <div className={`${classes.head} ${classes.note}`}>
              {t('console.OlderDropped')}{' '}
              <Anchor component="button" type="button" inherit onClick={() => setIsHistoryOpen(true)}>
                {t('console.HistoryOpen')}
              </Anchor>
            </div>
          ) : undefined
        }
      />
      <EmptyMessage lines={view.lines} isOff={disabledReason === 'off'} />
      {find.isOpen && (
        <FindBar
          find={find}
          onClose={() => {
            find.close()
            scrollerRef.current?.focus()
          }}
        />
      )}
      {!view.isFollowing && (view.unseen > 0 || !view.isPaused) && (
        <JumpToEnd unseen={view.unseen} onClick={view.resume} />
      )}
    </div>
  )
}

function JumpToEnd({ unseen, onClick }: { unseen: number; onClick: () => void }) {
  const t = useT()
  const { number } = useFormatters()
  return (
    <Button
      className={classes.jumpToEnd}
      variant="default"
      radius="xl"
      leftSection={<IconCircleFilled size={8} color="var(--ik-highlight)" aria-hidden />}
      rightSection={<IconArrowDown size={16} aria-hidden />}
      onClick={onClick}
    >
      {unseen > 0 ? t('console.NewLines', { count: unseen, lines: number(unseen) }) : t('console.JumpToEnd')}
    </Button>
  )
}

/**
 * While the server does not run it says how to start it. It disappears with the first line: it does not wait for the
 * next render of the panel.
 */
function EmptyMessage({ lines, isOff }: { lines: Lines; isOff: boolean }) {
  const t = useT()
  useAnimationFrameUpdates(lines)
  if (lines.end !== lines.first) return null
  return <Text className={classes.empty}>{t(isOff ? 'console.Empty' : 'console.NoOutput')}</Text>
}

/** The search field of the console: Enter and Shift+Enter step through the matches, Esc closes it. */
function FindBar({ find, onClose }: { find: Find; onClose: () => void }) {
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
    <Paper component="search" className={classes.find} shadow="md" radius="md" aria-label={t('console.Find')}>
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
      <Toggle
        label={t('steps.Field_regex')}
        isActive={query.isRegex}
        onChange={(isRegex) => search({ ...query, isRegex })}
      >
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
    <IconButton
      label={label}
      size={28}
      className={classes.tool}
      ff="monospace"
      fz="xs"
      fw={600}
      aria-pressed={isActive}
      onClick={() => onChange(!isActive)}
    >
      {children}
    </IconButton>
  )
}
