import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { arrayMove, SortableList } from '../../ui/sortable.tsx'
import { toast } from '../../ui/toast.tsx'
import { useLatest } from '../../ui/use-latest.ts'
import classes from './definition-editor.module.css'
import { nextId, type VariableRow } from './draft.ts'
import { PartCard } from './part.tsx'
import type { Problem } from './problems.ts'
import { VariableLine } from './variable-line.tsx'
import { newVariable } from './variables.ts'
import { problemText } from './words.ts'

interface VariablesCardProps {
  readonly rows: readonly VariableRow[]
  readonly onChange: (rows: readonly VariableRow[]) => void
  readonly problems: readonly Problem[]
}

/** What people may be asked for when a server is made of a template, and what install steps and commands fill in. */
export function VariablesCard({ rows, onChange, problems }: VariablesCardProps) {
  const t = useT()
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [added, setAdded] = useState<number>()
  // What a toast takes back is taken back from the list of that time.
  const latest = useLatest({ rows, onChange })
  const remove = (row: VariableRow, at: number) => {
    onChange(rows.toSpliced(at, 1))
    if (row.name === '') return
    const undo = () => {
      const now = latest.current
      now.onChange(now.rows.toSpliced(at, 0, { ...row, id: nextId(now.rows) }))
    }
    toast.success(t('steps.Removed', { type: row.name }), { action: { label: t('steps.Undo'), run: undo } })
  }
  const problemAt = (at: string) => {
    const problem = problems.find((one) => one.at === at)
    return problem && problemText(t, problem)
  }
  const toggle = (id: number) =>
    setOpened((now) => (now.has(id) ? new Set([...now].filter((other) => other !== id)) : new Set([...now, id])))
  const add = () => {
    const id = nextId(rows)
    setAdded(id)
    setOpened((now) => new Set([...now, id]))
    onChange([...rows, { id, name: '', variable: newVariable }])
  }
  return (
    <PartCard
      section="variables"
      isPadded={false}
      action={
        <Button size="xs" variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
          {t('definition.AddVariable')}
        </Button>
      }
    >
      {rows.length === 0 ? (
        <p className={classes.empty}>{t('definition.NoVariables')}</p>
      ) : (
        <SortableList
          ids={rows.map(({ id }) => id)}
          label={t('definition.Section_variables')}
          nameOf={(at) => rows[at]?.name || t('definition.Unnamed')}
          onMove={(from, to) => onChange(arrayMove(rows, from, to))}
        >
          {rows.map((row, index) => (
            <VariableLine
              key={row.id}
              row={row}
              isOpen={opened.has(row.id)}
              isAdded={added === row.id}
              problem={problemAt(`variables/${row.id}/name`)}
              valueProblem={problemAt(`variables/${row.id}/value`)}
              onToggle={() => toggle(row.id)}
              onChange={(changed) => onChange(rows.map((old) => (old.id === row.id ? { ...old, ...changed } : old)))}
              onRemove={() => remove(row, index)}
            />
          ))}
        </SortableList>
      )}
    </PartCard>
  )
}
