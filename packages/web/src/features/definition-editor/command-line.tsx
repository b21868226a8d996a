import { ActionIcon, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { SortableRow } from '../../ui/sortable.tsx'
import classes from './definition-editor.module.css'
import { code } from './part.tsx'
import { type Raw, textAt, withPart, withTextAt } from './raw.ts'

interface CommandLineProps {
  readonly id: number
  readonly number: number
  readonly command: Raw
  readonly onChange: (command: Raw) => void
  readonly onRemove: () => void
}

/** One of several commands, with the condition under which it runs. */
export function CommandLine({ id, number, command, onChange, onRemove }: CommandLineProps) {
  const t = useT()
  return (
    <SortableRow id={id}>
      {(grip) => (
        <div className={classes.command}>
          {grip}
          <TextInput
            {...code}
            className={classes.condition ?? ''}
            aria-label={t('definition.ConditionOf', { number })}
            placeholder={t('definition.Condition')}
            value={textAt(command, ['if'])}
            onChange={(event) => onChange(withTextAt(command, ['if'], event.currentTarget.value))}
          />
          <TextInput
            {...code}
            className={classes.grow ?? ''}
            aria-label={t('definition.CommandNumber', { number })}
            placeholder={t('definition.Command')}
            value={textAt(command, ['command'])}
            onChange={(event) => onChange(withPart(command, ['command'], event.currentTarget.value))}
          />
          <ActionIcon aria-label={t('definition.RemoveCommand', { number })} onClick={onRemove}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </div>
      )}
    </SortableRow>
  )
}
