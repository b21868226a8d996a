import { powerActions, rightOfStep, type StepType, stepTypes } from '@innkeeper/contract/operations'
import type { ServerRight } from '@innkeeper/contract/permissions'
import { useMemo } from 'react'
import { StepList } from '../../features/steps/step-list.tsx'
import { withoutBlankLines } from '../../features/steps/step-rules.ts'
import { stepProblemTexts } from '../../features/steps/step-words.ts'
import type { StepEditing } from '../../features/tasks/steps.ts'
import { TasksPanel } from '../../features/tasks/tasks-panel.tsx'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import type { May } from './rights.ts'

/** What people mostly let tasks do comes first. */
const first: readonly StepType[] = ['stdin', 'power', 'sleep', 'archive', 'command']
const kinds: readonly StepType[] = [...first, ...stepTypes.filter((type) => !first.includes(type))]

/** The tasks of a server, with the steps that this person may let it do. */
export function TasksTab({ server, can: may }: { server: string; can: May }) {
  const t = useT()
  const steps = useMemo(() => stepEditing(t, may), [t, may])
  return <TasksPanel server={server} steps={steps} />
}

function stepEditing(t: TFunction, may: May): StepEditing {
  const withheld = new Map(
    kinds.flatMap((type) => {
      const needed = rightMissing(type, may)
      return needed === undefined ? [] : [[type, t(`server.TaskNeeds_${needed}`)] as const]
    }),
  )
  return {
    list: (given) => <StepList {...given} kinds={kinds} addedType="stdin" marksAdded withheld={withheld} />,
    problemsOf: stepProblemTexts,
    withoutBlankLines,
  }
}

/** The right that is missing for any step of a type; one of the power actions is enough for `power`. */
function rightMissing(type: StepType, may: May): ServerRight | undefined {
  const steps = type === 'power' ? powerActions.map((action) => ({ type, action })) : [{ type }]
  const rights = steps.map(rightOfStep)
  return rights.some(may) ? undefined : rights[0]
}
