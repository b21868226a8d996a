import { ActionIcon, Badge, Menu, UnstyledButton } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconDots,
  IconTrash,
} from '@tabler/icons-react'
import { useEffect, useId, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { SortableRow, useReorder } from '../../ui/sortable.tsx'
import classes from './definition-editor.module.css'
import type { VariableRow } from './draft.ts'
import { textAt, textOfAny } from './raw.ts'
import { VariableFields } from './variable-fields.tsx'
import { typeIn } from './variables.ts'

interface VariableLineProps {
  readonly row: VariableRow
  readonly isOpen: boolean
  /** Whether it was added just now: its name takes the focus. */
  readonly isAdded: boolean
  readonly problem: string | undefined
  readonly valueProblem: string | undefined
  readonly onToggle: () => void
  readonly onChange: (changed: Partial<VariableRow>) => void
  readonly onRemove: () => void
}

/** One variable: a line that opens into its fields. */
export function VariableLine(props: VariableLineProps) {
  const { row, isOpen, isAdded, problem, valueProblem, onToggle, onRemove } = props
  const t = useT()
  const fields = useId()
  const form = useRef<HTMLFieldSetElement>(null)
  const name = row.name || t('definition.Unnamed')
  const wrong = problem ?? valueProblem

  useEffect(() => {
    if (isAdded) form.current?.querySelector('input')?.focus()
  }, [isAdded])
  return (
    <SortableRow id={row.id} className={isOpen ? (classes.opened ?? '') : ''}>
      {(grip) => (
        <>
          <div className={classes.line}>
            <UnstyledButton
              className={classes.opener}
              aria-expanded={isOpen}
              aria-controls={isOpen ? fields : undefined}
              onClick={onToggle}
            >
              {isOpen ? (
                <IconChevronDown size={16} aria-hidden />
              ) : (
                <IconChevronRight size={16} aria-hidden data-flip />
              )}
              <span className={classes.name} dir="ltr" data-blank={row.name === '' || undefined}>
                {name}
              </span>
              <span className={classes.display}>{textAt(row.variable, ['display'])}</span>
              <span className={classes.kind}>
                <Badge radius="sm">{typeIn(row.variable)}</Badge>
              </span>
              <span className={classes.value} dir="ltr">
                {textOfAny(row.variable.value)}
              </span>
            </UnstyledButton>
            {wrong !== undefined && (
              <span className={classes.problem} role="img" aria-label={wrong}>
                <IconAlertTriangle size={16} aria-hidden />
              </span>
            )}
            {grip}
            <More id={row.id} name={name} />
            <ActionIcon aria-label={t('definition.Remove', { name })} onClick={onRemove}>
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          </div>
          {isOpen && (
            <fieldset ref={form} id={fields} className={classes.variable} aria-label={name}>
              <VariableFields {...props} />
            </fieldset>
          )}
        </>
      )}
    </SortableRow>
  )
}

function More({ id, name }: { id: number; name: string }) {
  const t = useT()
  const { isFirst, isLast, up, down } = useReorder(id)
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon aria-label={t('steps.More', { name })}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={isFirst} leftSection={<IconArrowUp size={16} aria-hidden />} onClick={up}>
          {t('sorting.Up')}
        </Menu.Item>
        <Menu.Item disabled={isLast} leftSection={<IconArrowDown size={16} aria-hidden />} onClick={down}>
          {t('sorting.Down')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
