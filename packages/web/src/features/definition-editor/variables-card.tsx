import { Text } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { AddButton } from '../../ui/add-button.tsx'
import { nextId } from '../../ui/row-ids.ts'
import { arrayMove, SortableList } from '../../ui/sortable.tsx'
import { toast } from '../../ui/toast.tsx'
import { useExpandedRows } from '../../ui/use-expanded-rows.ts'
import { useLatest } from '../../ui/use-latest.ts'
import type { VariableDraft } from './draft.ts'
import { issueMessage } from './messages.ts'
import { SectionCard } from './section-card.tsx'
import type { ValidationIssue } from './validation.ts'
import { VariableRow } from './variable-row.tsx'
import { newVariable } from './variables.ts'

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
    const issue = issues.find((one) => one.path === path)
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
