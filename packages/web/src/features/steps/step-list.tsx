import type { Step, StepType } from '@innkeeper/contract/operations'
import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { arrayMove, SortableList, useRowIds } from '../../ui/sortable.tsx'
import { toast } from '../../ui/toast.tsx'
import { useLatest } from '../../ui/use-latest.ts'
import { StepRow } from './step-row.tsx'
import { newStep } from './step-rules.ts'
import { typeName } from './step-words.ts'
import classes from './steps.module.css'

interface StepListProps {
  readonly steps: readonly Step[]
  readonly onChange: (next: readonly Step[]) => void
  /** The types that may be added; what is there already stays whatever it is. */
  readonly kinds: readonly StepType[]
  /** What the list is called. */
  readonly label: string
  /** What stands against the steps, in words, by path: `2.files`. */
  readonly problems?: ReadonlyMap<string, string>
  /** The type that a new step begins with, where this person may add it. */
  readonly addedType?: StepType
  /** Steps just added show their problems as well. Without it they are marked once somebody closed them. */
  readonly marksAdded?: boolean
  /** Types that this person may not add, each with the reason. */
  readonly withheld?: ReadonlyMap<StepType, string>
}

/** Steps in the order in which they run: each a line that opens into its fields. */
export function StepList(props: StepListProps) {
  const { steps, onChange, kinds, label, problems = new Map(), withheld = new Map() } = props
  const { addedType = 'command', marksAdded = false } = props
  const t = useT()
  const open = kinds.filter((type) => !withheld.has(type))
  const { ids, carry } = useRowIds(steps)
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [added, setAdded] = useState<number>()
  // What a toast takes back is taken back from the list of that time.
  const latest = useLatest({ steps, ids, onChange })

  const become = (next: readonly Step[], nextIds: readonly (number | undefined)[]) => {
    carry(next, nextIds)
    latest.current.onChange(next)
  }
  const put = (id: number, step: Step) => {
    const now = latest.current
    if (now.ids.includes(id))
      become(
        now.steps.map((old, index) => (now.ids[index] === id ? step : old)),
        now.ids,
      )
  }
  const retype = (id: number, before: Step, after: Step) => {
    put(id, after)
    if (Object.keys(before).some((name) => name !== 'type' && before[name] !== '' && !isEmptyList(before[name])))
      toast.success(t('steps.Retyped'), {
        action: { label: t('steps.Undo'), run: () => put(id, before) },
      })
  }
  const insert = (step: Step, at: number) => {
    const now = latest.current
    const nextIds: (number | undefined)[] = now.ids.toSpliced(at, 0, 0)
    nextIds[at] = undefined
    become(now.steps.toSpliced(at, 0, step), nextIds)
  }
  const add = (step: Step, at: number) => {
    insert(step, at)
    setAdded(at)
  }
  const remove = (at: number) => {
    const step = steps[at]
    become(steps.toSpliced(at, 1), ids.toSpliced(at, 1))
    if (step)
      toast.success(t('steps.Removed', { type: typeName(t, step) }), {
        action: { label: t('steps.Undo'), run: () => insert(step, Math.min(at, latest.current.steps.length)) },
      })
  }
  const toggle = (id: number) =>
    setOpened((now) => (now.has(id) ? new Set([...now].filter((other) => other !== id)) : new Set([...now, id])))
  const nameOf = (at: number) => t('steps.StepName', { number: at + 1, type: typeName(t, steps[at]) })

  return (
    <div className={classes.steps}>
      {steps.length === 0 ? (
        <p className={classes.empty}>{t('steps.None')}</p>
      ) : (
        <SortableList
          ids={ids}
          label={label}
          nameOf={nameOf}
          onMove={(from, to) => become(arrayMove(steps, from, to), arrayMove(ids, from, to))}
        >
          {steps.map((step, index) => {
            const id = ids[index] ?? 0
            return (
              <StepRow
                key={id}
                id={id}
                at={index}
                name={nameOf(index)}
                step={step}
                kinds={kinds}
                problems={problems}
                withheld={withheld}
                isAdded={added === index}
                marksAdded={marksAdded}
                isOpen={opened.has(id)}
                onOpen={() => {
                  setAdded(undefined)
                  setOpened((now) => new Set([...now, id]))
                }}
                onToggle={() => toggle(id)}
                onChange={(next) => put(id, next)}
                onRetype={(next) => retype(id, step, next)}
                onDuplicate={() => add(structuredClone(step), index + 1)}
                onRemove={() => remove(index)}
              />
            )
          })}
        </SortableList>
      )}
      <div className={classes.foot}>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => add(newStep(open.includes(addedType) ? addedType : (open[0] ?? addedType)), steps.length)}
        >
          {t('steps.Add')}
        </Button>
      </div>
    </div>
  )
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0
