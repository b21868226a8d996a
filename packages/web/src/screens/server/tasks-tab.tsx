import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { permissionOfStep, powerActions, type StepType, stepTypes } from '@innkeeper/contract/definitions/operations'
import { useMemo } from 'react'
import { TasksPanel } from '../../features/tasks/tasks-panel.tsx'
import { findText, useT } from '../../i18n/i18n.tsx'
import type { Can } from './permissions.ts'

const commonTypes: readonly StepType[] = ['stdin', 'power', 'countdown', 'backup', 'sleep', 'command']
/** The common types come first. */
const types: readonly StepType[] = [...commonTypes, ...stepTypes.filter((type) => !commonTypes.includes(type))]

/** The tasks of a server. Step types that the user lacks permission for cannot be added. */
export function TasksTab({ server, can }: { server: string; can: Can }) {
  const t = useT()
  const forbidden = useMemo(
    () =>
      new Map(
        types.flatMap((type) => {
          const missing = getMissingPermission(type, can)
          return missing === undefined ? [] : [[type, findText(t, `server.TaskNeeds_${missing}`) ?? missing] as const]
        }),
      ),
    [t, can],
  )
  return <TasksPanel server={server} stepTypes={{ types, forbidden }} />
}

/** The permission that the user lacks for every step of a type; for `power` one permitted action is enough. */
function getMissingPermission(type: StepType, can: Can): RequiredPermission | undefined {
  const steps = type === 'power' ? powerActions.map((action) => ({ type, action })) : [{ type }]
  const permissions = steps.map(permissionOfStep)
  return permissions.some(can) ? undefined : permissions[0]
}
