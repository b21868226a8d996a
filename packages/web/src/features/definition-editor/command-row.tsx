import { ActionIcon, Group, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/code-input.ts'
import { SortableRow } from '../../ui/sortable.tsx'
import { getText, type JsonObject, setIn } from './json-path.ts'
import { PathInput } from './path-input.tsx'

interface CommandRowProps {
  readonly id: number
  readonly number: number
  readonly command: JsonObject
  readonly onChange: (command: JsonObject) => void
  readonly onRemove: () => void
}

/** One of several commands, with its condition. */
export function CommandRow({ id, number, command, onChange, onRemove }: CommandRowProps) {
  const t = useT()
  return (
    <SortableRow id={id}>
      {(handle) => (
        <Group gap="xs" py={6} wrap="nowrap">
          {handle}
          <Group gap="xs" flex={1} miw={0}>
            <PathInput
              raw={command}
              onChange={onChange}
              path={['if']}
              flex="1 1 8rem"
              maw={{ sm: '14rem' }}
              aria-label={t('definition.ConditionOf', { number })}
              placeholder={t('steps.Condition')}
            />
            <TextInput
              {...codeInputProps}
              flex="2 1 16rem"
              aria-label={t('definition.CommandNumber', { number })}
              placeholder={t('definition.Command')}
              value={getText(command, ['command'])}
              onChange={(event) => onChange(setIn(command, ['command'], event.currentTarget.value))}
            />
          </Group>
          <ActionIcon aria-label={t('definition.RemoveCommand', { number })} onClick={onRemove}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      )}
    </SortableRow>
  )
}
