import { Badge, Box, Flex, Text, UnstyledButton } from '@mantine/core'
import { IconAlertTriangle, IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { nextId } from '../../ui/lists/row-ids.ts'
import { arrayMove, SortableList, SortableMenu, SortableRow } from '../../ui/lists/sortable.tsx'
import { useExpandedRows } from '../../ui/lists/use-expanded-rows.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import classes from './definition-editor.module.css'
import type { VariableDraft } from './draft.ts'
import { getText, toText } from './json-path.ts'
import { SectionCard } from './section-card.tsx'
import { issueMessage, type ValidationIssue } from './validation.ts'
import { VariableFields, type VariableFieldsProps } from './variable-fields.tsx'
import { getType, newVariable } from './variables.ts'

interface VariablesCardProps {
  readonly rows: readonly VariableDraft[]
  readonly onChange: (rows: readonly VariableDraft[]) => void
  readonly issues: readonly ValidationIssue[]
}

/** The variables that users set for a server, and that commands and steps use. */
export function VariablesCard({ rows, onChange, issues }: VariablesCardProps) {
  const t = useT()
  const { isExpanded, expand, toggle } = useExpandedRows()
  const [addedId, setAddedId] = useState<number>()
  // Undo works on the rows of that moment, not of this render.
  const latest = useLatest({ rows, onChange })
  const remove = (row: VariableDraft, index: number) => {
    onChange(rows.toSpliced(index, 1))
    if (row.name === '') return
    const undo = () => {
      const { rows: now, onChange: change } = latest.current
      change(now.toSpliced(index, 0, { ...row, id: nextId(now) }))
    }
    toast.success(t('steps.Removed', { type: row.name }), { action: { label: t('common.Undo'), run: undo } })
  }
  const errorAt = (path: string) => {
    const issue = issues.find((candidate) => candidate.path === path)
    return issue && issueMessage(t, issue)
  }
  const add = () => {
    const id = nextId(rows)
    setAddedId(id)
    expand(id)
    onChange([...rows, { id, name: '', variable: newVariable }])
  }
  return (
    <SectionCard
      section="variables"
      isPadded={false}
      action={<AddButton onClick={add}>{t('definition.AddVariable')}</AddButton>}
    >
      {rows.length === 0 ? (
        <Text c="dimmed" p="md">
          {t('definition.NoVariables')}
        </Text>
      ) : (
        <SortableList
          ids={rows.map(({ id }) => id)}
          label={t('definition.Section_variables')}
          getName={(index) => rows[index]?.name || t('definition.Unnamed')}
          onMove={(from, to) => onChange(arrayMove(rows, from, to))}
        >
          {rows.map((row, index) => (
            <VariableRow
              key={row.id}
              row={row}
              isOpen={isExpanded(row.id)}
              isNew={addedId === row.id}
              nameError={errorAt(`variables/${row.id}/name`)}
              valueError={errorAt(`variables/${row.id}/value`)}
              onToggle={() => toggle(row.id)}
              onChange={(changes) => onChange(rows.map((old) => (old.id === row.id ? { ...old, ...changes } : old)))}
              onRemove={() => remove(row, index)}
            />
          ))}
        </SortableList>
      )}
    </SectionCard>
  )
}

interface VariableRowProps extends VariableFieldsProps {
  readonly isOpen: boolean
  /** Added just now: its name gets the focus. */
  readonly isNew: boolean
  readonly onToggle: () => void
  readonly onRemove: () => void
}

/** One variable: a row that expands into its form. */
function VariableRow(props: VariableRowProps) {
  const { row, isOpen, isNew, nameError, valueError, onToggle, onRemove } = props
  const t = useT()
  const formId = useId()
  const form = useRef<HTMLFieldSetElement>(null)
  const name = row.name || t('definition.Unnamed')
  const error = nameError ?? valueError

  useEffect(() => {
    if (isNew) form.current?.querySelector('input')?.focus()
  }, [isNew])
  return (
    <SortableRow id={row.id} isHighlighted={isOpen}>
      {(handle) => (
        <>
          <Flex
            wrap={{ base: 'wrap', sm: 'nowrap' }}
            align="center"
            gap="2xs"
            mih="2.75rem"
            px="sm"
            py={{ base: 'xs', sm: '3xs' }}
          >
            <UnstyledButton
              className={classes.summary}
              aria-expanded={isOpen}
              aria-controls={isOpen ? formId : undefined}
              onClick={onToggle}
            >
              {isOpen ? (
                <IconChevronDown size={16} aria-hidden />
              ) : (
                <IconChevronRight size={16} aria-hidden data-flip />
              )}
              <Text span ff="monospace" fz="compact" truncate dir="ltr" {...(row.name === '' && { c: 'dimmed' })}>
                {name}
              </Text>
              <Text span truncate className={classes.display}>
                {getText(row.variable, ['display'])}
              </Text>
              <span className={classes.type}>
                <Badge radius="sm">{t(`definition.VariableType_${getType(row.variable)}`)}</Badge>
              </span>
              <Text span ff="monospace" variant="note" truncate dir="ltr" className={classes.value}>
                {toText(row.variable.value)}
              </Text>
            </UnstyledButton>
            {error !== undefined && (
              <Text span c="var(--ik-warning)" lh={0} role="img" aria-label={error}>
                <IconAlertTriangle size={16} aria-hidden />
              </Text>
            )}
            {handle}
            <SortableMenu id={row.id} name={name} onRemove={onRemove} />
          </Flex>
          {isOpen && (
            <Box
              component="fieldset"
              ref={form}
              id={formId}
              m={0}
              miw={0}
              pt="2xs"
              pb="md"
              ps={{ base: 'md', sm: '3xl' }}
              pe="md"
              bd="none"
              aria-label={name}
            >
              <VariableFields {...props} />
            </Box>
          )}
        </>
      )}
    </SortableRow>
  )
}
