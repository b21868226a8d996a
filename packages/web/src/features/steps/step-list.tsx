import type { Step, StepType } from '@innkeeper/contract/definitions/operations'
import { Box, Divider, Text } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { useRowIds } from '../../ui/lists/row-ids.ts'
import { arrayMove, SortableList } from '../../ui/lists/sortable.tsx'
import { useExpandedRows } from '../../ui/lists/use-expanded-rows.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { StepRow } from './step-row.tsx'
import { newStep, stepTypeName } from './step-rules.ts'

export interface StepListProps {
  readonly steps: readonly Step[]
  readonly onChange: (steps: readonly Step[]) => void
  /** The types that can be added. Existing steps may have others. */
  readonly types: readonly StepType[]
  readonly label: string
  /** Messages by path: `2.files`. */
  readonly errors?: ReadonlyMap<string, string>
  /** The type of a new step, if the user can select it. */
  readonly defaultType?: StepType
  /** Shows errors of new steps at once, and not only after they were collapsed. */
  readonly showErrorsOfAdded?: boolean
  /** Types that the user cannot select, with the reason. */
  readonly forbidden?: ReadonlyMap<StepType, string>
}

/** Steps in the order in which they run. */
export function StepList(props: StepListProps) {
  const { steps, onChange, types, label, errors = new Map(), forbidden = new Map() } = props
  const { defaultType = 'command', showErrorsOfAdded = false } = props
  const t = useT()
  const { ids, keepIds } = useRowIds(steps)
  const { isExpanded, expand, toggle } = useExpandedRows()
  const [addedIndex, setAddedIndex] = useState<number>()
  // Undo works on the steps of that moment, not of this render.
  const latest = useLatest({ steps, ids, onChange })

  const update = (next: readonly Step[], nextIds: readonly (number | undefined)[]) => {
    keepIds(next, nextIds)
    latest.current.onChange(next)
  }
  const replace = (id: number, step: Step) => {
    const now = latest.current
    const index = now.ids.indexOf(id)
    if (index >= 0) update(now.steps.with(index, step), now.ids)
  }
  const changeType = (id: number, before: Step, after: Step) => {
    replace(id, after)
    if (Object.keys(before).some((name) => name !== 'type' && !isEmpty(before[name])))
      toast.success(t('steps.TypeChanged'), { action: { label: t('common.Undo'), run: () => replace(id, before) } })
  }
  const insert = (step: Step, index: number) => {
    const now = latest.current
    const nextIds: readonly (number | undefined)[] = now.ids
    update(now.steps.toSpliced(index, 0, step), nextIds.toSpliced(index, 0, undefined))
  }
  const add = (step: Step, index: number) => {
    insert(step, index)
    setAddedIndex(index)
  }
  const addDefault = () => {
    const allowed = types.filter((type) => !forbidden.has(type))
    const type = allowed.includes(defaultType) ? defaultType : (allowed[0] ?? defaultType)
    add(newStep(type), steps.length)
  }
  const remove = (step: Step, index: number) => {
    update(steps.toSpliced(index, 1), ids.toSpliced(index, 1))
    const undo = () => insert(step, Math.min(index, latest.current.steps.length))
    const message = t('steps.Removed', { type: stepTypeName(t, step) })
    toast.success(message, { action: { label: t('common.Undo'), run: undo } })
  }
  const getName = (index: number) => t('steps.StepName', { number: index + 1, type: stepTypeName(t, steps[index]) })

  return (
    <Box miw={0}>
      {steps.length === 0 ? (
        <Text c="dimmed" px="md" pt="md">
          {t('steps.None')}
        </Text>
      ) : (
        <SortableList
          ids={ids}
          label={label}
          getName={getName}
          onMove={(from, to) => update(arrayMove(steps, from, to), arrayMove(ids, from, to))}
        >
          {steps.map((step, index) => {
            const id = ids[index] ?? 0
            return (
              <StepRow
                key={id}
                id={id}
                number={index + 1}
                name={getName(index)}
                step={step}
                types={types}
                errors={getErrors(errors, index)}
                forbidden={forbidden}
                isAdded={addedIndex === index}
                showErrorsOfAdded={showErrorsOfAdded}
                isOpen={isExpanded(id)}
                onOpen={() => {
                  setAddedIndex(undefined)
                  expand(id)
                }}
                onToggle={() => toggle(id)}
                onChange={(next) => replace(id, next)}
                onTypeChange={(next) => changeType(id, step, next)}
                onDuplicate={() => add(structuredClone(step), index + 1)}
                onRemove={() => remove(step, index)}
              />
            )
          })}
        </SortableList>
      )}
      {steps.length > 0 && <Divider />}
      <Box px="md" py="sm">
        <AddButton aria-label={t('common.ActionFor', { action: t('steps.Add'), name: label })} onClick={addDefault}>
          {t('steps.Add')}
        </AddButton>
      </Box>
    </Box>
  )
}

/** The messages of one step by field name. */
function getErrors(errors: ReadonlyMap<string, string>, index: number): ReadonlyMap<string, string> {
  const prefix = `${index}.`
  const own = [...errors].filter(([path]) => path.startsWith(prefix))
  return new Map(own.map(([path, message]) => [path.slice(prefix.length), message]))
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0)
}
