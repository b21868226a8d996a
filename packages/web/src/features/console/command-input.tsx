import { limits } from '@innkeeper/contract/text/limits'
import { ActionIcon, Button, Drawer, Group, Kbd, Paper, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { IconCornerDownLeft, IconHistory, IconSend } from '@tabler/icons-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { createCursor, type HistoryCursor, moveCursor, searchCommands } from './command-history.ts'
import classes from './console.module.css'
import type { CommandDisabledReason, ConsoleState } from './use-console.ts'

const disabledReasonTexts: Readonly<Record<CommandDisabledReason, TranslationKey>> = {
  off: 'console.DisabledOff',
  busy: 'console.DisabledBusy',
  node: 'server.PowerDisabledNodeUnreachable',
  panel: 'server.PowerDisabledPanelUnreachable',
}

/** The same where there is no room for a sentence. */
const shortDisabledReasonTexts: Readonly<Record<CommandDisabledReason, TranslationKey>> = {
  off: 'console.DisabledOffShort',
  busy: 'console.DisabledBusyShort',
  node: 'console.DisabledNodeShort',
  panel: 'console.DisabledPanelShort',
}

/** The input for commands: Enter sends, up and down step through the history, Ctrl+R searches it. */
export function CommandInput({ commands, inputRef, send: onSend, disabledReason, isPhone }: ConsoleState) {
  const { draft: value, setDraft: onChange, history } = commands
  const t = useT()
  const reasonId = useId()
  const isEnabled = disabledReason === undefined
  const reason = disabledReason && t(disabledReasonTexts[disabledReason])
  const placeholder = isPhone && disabledReason ? t(shortDisabledReasonTexts[disabledReason]) : reason
  const [cursor, setCursor] = useState<HistoryCursor>()
  const [isSearchOpen, setIsSearchOpen] = useState(false)

  const send = () => {
    if (value.trim() === '' || !isEnabled) return
    onSend(value)
    setCursor(undefined)
  }
  const step = (direction: -1 | 1) => {
    const next = moveCursor(history, cursor ?? createCursor(history, value), direction)
    setCursor(next.cursor)
    onChange(next.text)
  }
  const select = (command: string) => {
    setIsSearchOpen(false)
    onChange(command)
    inputRef.current?.focus()
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') send()
    else if (event.key === 'ArrowUp') step(-1)
    else if (event.key === 'ArrowDown') step(1)
    else if (event.key === 'r' && event.ctrlKey && !event.shiftKey) setIsSearchOpen(true)
    else return
    event.preventDefault()
  }

  const closeSearch = () => setIsSearchOpen(false)
  const search = <CommandSearch history={history} onSelect={select} onClose={closeSearch} closesOnBlur={!isPhone} />
  return (
    <Group className={classes.commandBar} gap={isPhone ? 'xs' : 'sm'} wrap="nowrap">
      {isSearchOpen && !isPhone && (
        <Paper className={classes.commandSearch} shadow="md" radius="md" p="2xs">
          {search}
        </Paper>
      )}
      {isPhone && (
        <Drawer
          opened={isSearchOpen}
          onClose={closeSearch}
          position="bottom"
          size="auto"
          title={t('console.CommandHistory')}
        >
          {search}
        </Drawer>
      )}
      <TextInput
        ref={inputRef}
        classNames={{ root: classes.commandField, section: classes.prompt, input: classes.commandInput }}
        variant={isPhone ? 'default' : 'unstyled'}
        size="xs"
        radius="md"
        dir="ltr"
        leftSection=">"
        leftSectionWidth={isPhone ? 30 : 18}
        leftSectionProps={{ 'aria-hidden': true, style: { justifyContent: isPhone ? 'center' : 'flex-start' } }}
        value={value}
        // Read-only instead of disabled: it can be focused, so that screen readers read the reason.
        readOnly={!isEnabled}
        aria-disabled={!isEnabled || undefined}
        aria-describedby={reason && reasonId}
        aria-label={t('console.Command')}
        placeholder={placeholder ?? t('console.TypeCommand')}
        maxLength={limits.commandBytes / 4}
        autoComplete="off"
        autoCorrect="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="send"
        onChange={(event) => {
          setCursor(undefined)
          onChange(event.currentTarget.value)
        }}
        onKeyDown={isEnabled ? handleKeyDown : undefined}
      />
      {reason && <VisuallyHidden id={reasonId}>{reason}</VisuallyHidden>}
      {isPhone ? (
        <>
          <ActionIcon
            size={44}
            variant="default"
            aria-label={t('console.CommandHistory')}
            disabled={history.length === 0}
            onClick={() => setIsSearchOpen(true)}
          >
            <IconHistory size={20} aria-hidden />
          </ActionIcon>
          <ActionIcon
            size={44}
            variant="filled"
            color="primary"
            aria-label={t('console.Send')}
            disabled={!isEnabled}
            onClick={send}
          >
            <IconSend size={20} data-flip aria-hidden />
          </ActionIcon>
        </>
      ) : (
        <>
          <Group gap="xs" wrap="nowrap" fz="xs" c="var(--ik-subtle)" aria-hidden="true">
            <Kbd>↑</Kbd>
            <Kbd>↓</Kbd>
            {t('console.HistoryHint')}
          </Group>
          <Button
            size="xs"
            flex="none"
            leftSection={<IconCornerDownLeft size={16} data-flip aria-hidden />}
            disabled={!isEnabled}
            onClick={send}
          >
            {t('console.Send')}
          </Button>
        </>
      )}
    </Group>
  )
}

interface CommandSearchProps {
  readonly history: readonly string[]
  readonly onSelect: (command: string) => void
  readonly onClose: () => void
  readonly closesOnBlur: boolean
}

function CommandSearch({ history, onSelect, onClose, closesOnBlur }: CommandSearchProps) {
  const t = useT()
  const id = useId()
  const [query, setQuery] = useState('')
  const [index, setIndex] = useState(0)
  const commands = searchCommands(history, query)
  const activeIndex = Math.min(index, commands.length - 1)

  const handleKeyDown = (event: KeyboardEvent) => {
    const command = commands[activeIndex]
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && command !== undefined) onSelect(command)
    else if (event.key === 'ArrowDown' || (event.key === 'r' && event.ctrlKey))
      setIndex(Math.min(activeIndex + 1, commands.length - 1))
    else if (event.key === 'ArrowUp') setIndex(Math.max(activeIndex - 1, 0))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <TextInput
        autoFocus
        classNames={{ input: classes.commandInput }}
        size="xs"
        value={query}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={commands.length > 0 ? `${id}-${activeIndex}` : undefined}
        aria-label={t('console.SearchHistory')}
        placeholder={t('console.SearchHistory')}
        dir="ltr"
        onChange={(event) => {
          setQuery(event.currentTarget.value)
          setIndex(0)
        }}
        onKeyDown={handleKeyDown}
        onBlur={closesOnBlur ? onClose : undefined}
      />
      <div
        className={classes.commands}
        role="listbox"
        id={`${id}-list`}
        aria-label={t('console.CommandHistory')}
        dir="ltr"
      >
        {commands.map((command, position) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys
          <div
            key={command}
            id={`${id}-${position}`}
            role="option"
            aria-selected={position === activeIndex}
            tabIndex={-1}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onSelect(command)}
          >
            {command}
          </div>
        ))}
      </div>
      {commands.length === 0 && <Text variant="caption">{t('console.NoHistory')}</Text>}
    </>
  )
}
