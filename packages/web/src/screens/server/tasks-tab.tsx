import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { permissionOfStep, powerActions, type StepType, stepTypes } from '@innkeeper/contract/definitions/operations'
import { listPlayerActions } from '@innkeeper/contract/servers/player-actions'
import { useMemo } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { TasksPanel } from '../../features/tasks/tasks-panel.tsx'
import { findText, useT } from '../../i18n/i18n.tsx'
import type { Can } from './permissions.ts'

const commonTypes: readonly StepType[] = ['stdin', 'power', 'countdown', 'backup', 'sleep', 'command']
/** The common types come first. */
const types: readonly StepType[] = [...commonTypes, ...stepTypes.filter((type) => !commonTypes.includes(type))]

/** The tasks of a server. Step types that the user lacks permission for, or the template a command, cannot be added. */
export function TasksTab({ server, can }: { server: string; can: Can }) {
  const t = useT()
  const { data } = useApiQuery(listPlayerActions, { params: { id: server } })
  const canBroadcast = data?.actions.some(({ type }) => type === 'broadcast') === true
  const forbidden = useMemo(
    () =>
      new Map(
        types.flatMap((type) => {
          const missing = getMissingPermission(type, can)
          if (missing !== undefined) return [[type, findText(t, `server.TaskNeeds_${missing}`) ?? missing] as const]
          return type === 'countdown' && !canBroadcast ? [[type, t('server.TaskNeedsBroadcast')] as const] : []
        }),
      ),
    [t, can, canBroadcast],
  )
  return <TasksPanel server={server} stepTypes={{ types, forbidden }} />
}

/** The permission that the user lacks for every step of a type; for `power` one permitted action is enough. */
function getMissingPermission(type: StepType, can: Can): RequiredPermission | undefined {
  const steps = type === 'power' ? powerActions.map((action) => ({ type, action })) : [{ type }]
  const permissions = steps.map(permissionOfStep)
  return permissions.some(can) ? undefined : permissions[0]
}
