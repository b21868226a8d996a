import { limits } from '@innkeeper/contract/limits'
import { ActionIcon, Button, Drawer, Kbd, VisuallyHidden } from '@mantine/core'
import { IconCornerDownLeft, IconHistory, IconSend } from '@tabler/icons-react'
import { type KeyboardEvent, type RefObject, useId, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { searched, step, type Walk, walkFrom } from './command-history.ts'
import classes from './console.module.css'

/** Why no command can be sent: nothing runs, it does not run yet, or somebody does not answer. */
export type CommandObstacle = 'off' | 'busy' | 'node' | 'panel'

const obstacleTexts: Readonly<Record<CommandObstacle, string>> = {
  off: 'console.StartToSend',
  busy: 'console.OnceRunning',
  node: 'console.NodeSilent',
  panel: 'console.PanelAway',
}

interface CommandInputProps {
  readonly field: RefObject<HTMLInputElement | null>
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onSend: (command: string) => void
  readonly history: readonly string[]
  readonly obstacle: CommandObstacle | undefined
  readonly isPhone: boolean
}

/** Where commands are typed: Enter sends, up and down walk the history, Ctrl+R searches it. */
export function CommandInput({ field, value, onChange, onSend, history, obstacle, isPhone }: CommandInputProps) {
  const t = useT()
  const reasonId = useId()
  const isRunning = obstacle === undefined
  const reason = obstacle && t(obstacleTexts[obstacle])
  const [walk, setWalk] = useState<Walk>()
  const [isSearching, setIsSearching] = useState(false)

  const send = () => {
    if (value.trim() === '' || !isRunning) return
    onSend(value)
    setWalk(undefined)
  }
  const go = (direction: -1 | 1) => {
    const next = step(history, walk ?? walkFrom(history, value), direction)
    setWalk(next.walk)
    onChange(next.text)
  }
  const pick = (command: string) => {
    setIsSearching(false)
    onChange(command)
    field.current?.focus()
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') send()
    else if (event.key === 'ArrowUp') go(-1)
    else if (event.key === 'ArrowDown') go(1)
    else if (event.key === 'r' && event.ctrlKey && !event.shiftKey) setIsSearching(true)
    else return
    event.preventDefault()
  }

  const search = (
    <HistorySearch history={history} onPick={pick} onClose={() => setIsSearching(false)} closesOnBlur={!isPhone} />
  )
  return (
    <div className={classes.input}>
      {isSearching && !isPhone && <div className={classes.history}>{search}</div>}
      {isPhone && (
        <Drawer
          opened={isSearching}
          onClose={() => setIsSearching(false)}
          position="bottom"
          size="auto"
          title={t('console.History')}
        >
          {search}
        </Drawer>
      )}
      <div className={classes.field} dir="ltr">
        <span className={classes.sign} aria-hidden="true">
          {'>'}
        </span>
        <input
          ref={field}
          value={value}
          // It can be focused also while it takes nothing, so that everybody learns why.
          readOnly={!isRunning}
          aria-disabled={!isRunning || undefined}
          aria-describedby={reason && reasonId}
          aria-label={t('console.Command')}
          placeholder={reason ?? t('console.TypeCommand')}
          maxLength={limits.commandBytes / 4}
          autoComplete="off"
          autoCorrect="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="send"
          onChange={(event) => {
            setWalk(undefined)
            onChange(event.currentTarget.value)
          }}
          onKeyDown={isRunning ? pressed : undefined}
        />
        {reason && <VisuallyHidden id={reasonId}>{reason}</VisuallyHidden>}
      </div>
      {isPhone ? (
        <>
          <ActionIcon
            size={44}
            className={classes.iconButton}
            aria-label={t('console.History')}
            disabled={history.length === 0}
            onClick={() => setIsSearching(true)}
          >
            <IconHistory size={20} aria-hidden />
          </ActionIcon>
          <ActionIcon
            size={44}
            variant="filled"
            color="primary"
            aria-label={t('console.Send')}
            disabled={!isRunning}
            onClick={send}
          >
            <IconSend size={20} data-flip aria-hidden />
          </ActionIcon>
        </>
      ) : (
        <>
          <span className={classes.hint} aria-hidden="true">
            <Kbd>↑</Kbd>
            <Kbd>↓</Kbd>
            {t('console.HistoryHint')}
          </span>
          <Button
            size="xs"
            leftSection={<IconCornerDownLeft size={16} data-flip aria-hidden />}
            disabled={!isRunning}
            onClick={send}
          >
            {t('console.Send')}
          </Button>
        </>
      )}
    </div>
  )
}

interface HistorySearchProps {
  readonly history: readonly string[]
  readonly onPick: (command: string) => void
  readonly onClose: () => void
  readonly closesOnBlur: boolean
}

function HistorySearch({ history, onPick, onClose, closesOnBlur }: HistorySearchProps) {
  const t = useT()
  const id = useId()
  const [wanted, setWanted] = useState('')
  const [at, setAt] = useState(0)
  const found = searched(history, wanted)
  const chosen = Math.min(at, found.length - 1)

  const pressed = (event: KeyboardEvent) => {
    const command = found[chosen]
    if (event.key === 'Escape') onClose()
    else if (event.key === 'Enter' && command !== undefined) onPick(command)
    else if (event.key === 'ArrowDown' || (event.key === 'r' && event.ctrlKey))
      setAt(Math.min(chosen + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: it opens because a person asked to search
        autoFocus
        className={classes.searching}
        value={wanted}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
        aria-label={t('console.SearchHistory')}
        placeholder={t('console.SearchHistory')}
        dir="ltr"
        onChange={(event) => {
          setWanted(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={pressed}
        onBlur={closesOnBlur ? onClose : undefined}
      />
      <div className={classes.commands} role="listbox" id={`${id}-list`} aria-label={t('console.History')} dir="ltr">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the combobox's
          <div
            key={command}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onPick(command)}
          >
            {command}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className={classes.hint}>{t('console.NoHistory')}</p>}
    </>
  )
}
