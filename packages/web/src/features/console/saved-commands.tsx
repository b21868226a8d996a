import { ActionIcon, Button, Group, Stack, Text, TextInput, Title, UnstyledButton } from '@mantine/core'
import { IconPlus, IconTerminal, IconX } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useJsonPreference } from '../../session/preferences.tsx'
import classes from './console.module.css'

interface SavedCommandsProps {
  readonly server: string
  readonly isRunning: boolean
  readonly onFill: (command: string) => void
  readonly onSend: (command: string) => void
}

const noCommands: readonly string[] = []
const maxSaved = 30

function toCommands(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string').slice(0, maxSaved) : undefined
}

/** The commands that the user saved for a server: a click fills the input, Alt+click sends. */
export function SavedCommands({ server, isRunning, onFill, onSend }: SavedCommandsProps) {
  const t = useT()
  const [commands, setCommands] = useJsonPreference(['savedCommands', server].join('.'), toCommands, noCommands)
  const [isAdding, setIsAdding] = useState(false)
  const [draft, setDraft] = useState('')

  const add = (event: FormEvent) => {
    event.preventDefault()
    const command = draft.trim()
    if (command !== '' && !commands.includes(command)) setCommands([...commands, command].slice(-maxSaved))
    setDraft('')
    setIsAdding(false)
  }
  return (
    <Stack component="section" gap="2xs" px="sm" py="sm" aria-label={t('console.Saved')}>
      <Group justify="space-between">
        <Title order={2} fz="compact" fw={400} c="dimmed">
          {t('console.Saved')}
        </Title>
        <ActionIcon
          size={28}
          aria-label={t('console.SaveCommand')}
          aria-expanded={isAdding}
          onClick={() => setIsAdding(!isAdding)}
        >
          <IconPlus size={16} aria-hidden />
        </ActionIcon>
      </Group>
      {commands.map((command) => (
        <Group key={command} className={classes.savedCommand} gap="xs" wrap="nowrap">
          <UnstyledButton
            className={classes.savedCommandText}
            dir="ltr"
            onClick={(event) => (event.altKey && isRunning ? onSend(command) : onFill(command))}
          >
            <IconTerminal size={15} aria-hidden />
            <Text span inherit truncate>
              {command}
            </Text>
          </UnstyledButton>
          <ActionIcon
            size={24}
            className={classes.removeCommand}
            aria-label={t('console.RemoveCommand', { command })}
            onClick={() => setCommands(commands.filter((other) => other !== command))}
          >
            <IconX size={14} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {(commands.length > 0 || !isAdding) && (
        <Text fz="xs" c="var(--ik-subtle)">
          {t(commands.length > 0 ? 'console.SavedHint' : 'console.NoneSaved')}
        </Text>
      )}
      {isAdding && (
        <Group component="form" gap="xs" wrap="nowrap" onSubmit={add}>
          <TextInput
            flex={1}
            miw={0}
            autoFocus
            size="xs"
            dir="ltr"
            aria-label={t('console.Command')}
            value={draft}
            onChange={(event) => setDraft(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') setIsAdding(false)
            }}
          />
          <Button size="xs" type="submit" flex="none">
            {t('common.Save')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
