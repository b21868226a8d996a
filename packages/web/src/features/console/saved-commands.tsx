import { ActionIcon, Button, TextInput, Tooltip } from '@mantine/core'
import { IconPlus, IconTerminal, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useJsonPreference } from '../../session/preferences.tsx'
import classes from './console.module.css'

interface SavedCommandsProps {
  readonly server: string
  readonly isRunning: boolean
  readonly onFill: (command: string) => void
  readonly onSend: (command: string) => void
}

const none: readonly string[] = []
const mostSaved = 30

function commandsIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string').slice(0, mostSaved) : undefined
}

/** Commands a person keeps for a server: a click fills the input, Alt+click sends. */
export function SavedCommands({ server, isRunning, onFill, onSend }: SavedCommandsProps) {
  const t = useT()
  const [saved, setSaved] = useJsonPreference(['savedCommands', server].join('.'), commandsIn, none)
  const [isAdding, setIsAdding] = useState(false)
  const [command, setCommand] = useState('')

  const add = () => {
    const wanted = command.trim()
    if (wanted !== '' && !saved.includes(wanted)) setSaved([...saved, wanted].slice(-mostSaved))
    setCommand('')
    setIsAdding(false)
  }
  return (
    <section className={classes.saved} aria-label={t('console.Saved')}>
      <div className={classes.savedHead}>
        <h2>{t('console.Saved')}</h2>
        <ActionIcon
          size={28}
          aria-label={t('console.SaveOne')}
          aria-expanded={isAdding}
          onClick={() => setIsAdding(!isAdding)}
        >
          <IconPlus size={16} aria-hidden />
        </ActionIcon>
      </div>
      {saved.map((kept) => (
        <div key={kept} className={classes.savedRow}>
          <Tooltip label={t('console.SavedHint')} openDelay={600}>
            <button
              type="button"
              className={classes.savedCommand}
              dir="ltr"
              onClick={(event) => (event.altKey && isRunning ? onSend(kept) : onFill(kept))}
            >
              <IconTerminal size={15} aria-hidden />
              <span>{kept}</span>
            </button>
          </Tooltip>
          <ActionIcon
            size={24}
            className={classes.forget}
            aria-label={t('console.ForgetCommand', { command: kept })}
            onClick={() => setSaved(saved.filter((other) => other !== kept))}
          >
            <IconX size={14} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      {saved.length === 0 && !isAdding && <p className={classes.hint}>{t('console.NoneSaved')}</p>}
      {isAdding && (
        <form
          className={classes.savedForm}
          onSubmit={(event) => {
            event.preventDefault()
            add()
          }}
        >
          <TextInput
            autoFocus
            size="xs"
            dir="ltr"
            aria-label={t('console.Command')}
            value={command}
            onChange={(event) => setCommand(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setIsAdding(false)
            }}
          />
          <Button size="xs" type="submit">
            {t('common.Save')}
          </Button>
        </form>
      )}
    </section>
  )
}
