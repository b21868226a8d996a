import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { RefusalCode } from '@innkeeper/contract/errors/refusals'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { createElement, useRef, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import {
  type DisabledReason,
  getActionInProgress,
  getActions,
  getDisabledReason,
  getDisplayStatus,
  getEffectiveStatus,
  getPowerLabel,
  type PowerAction,
  powerDisplays,
  requiredPermissions,
} from './power.ts'
import { useConfirmPower } from './use-confirm-power.ts'
import { usePowerRequests } from './use-power-requests.ts'

/** The node does not meet a requirement of the server: shown permanently above the console instead of as a toast. */
const requirementErrors: readonly RefusalCode[] = [
  'ErrMissingBinary',
  'ErrUnsupportedOS',
  'ErrUnsupportedArch',
  'ErrDockerNotSupported',
  'ErrImageUnavailable',
  'ErrContainerFailed',
]

interface PowerOptions {
  readonly server: { readonly id: string; readonly name: string; readonly suspension?: object | undefined }
  readonly status: ServerStatus | undefined
  readonly unreachable: 'panel' | 'node' | undefined
  readonly can: (permission: RequiredPermission) => boolean
  /** Called after the node accepted or refused an action: the status may have changed. */
  readonly onSettled: (action: PowerAction, isAccepted: boolean) => void
}

export interface PowerControl {
  readonly action: PowerAction
  readonly label: string
  readonly disabledReason: DisabledReason | undefined
  /** The action is in progress. */
  readonly isBusy: boolean
  readonly run: () => void
}

export type Power = ReturnType<typeof usePower>

/** The power actions of one server, with confirmation, shortcuts and the optimistic status. */
export function usePower({ server, status, unreachable, can, onSettled }: PowerOptions) {
  const t = useT()
  const confirmPower = useConfirmPower()
  const { pending, send } = usePowerRequests()
  const [requirementError, setRequirementError] = useState<unknown>()
  const [isKillConfirmOpen, setKillConfirmOpen] = useState(false)
  const inFlight = useRef(new Set<PowerAction>())
  const displayStatus = getDisplayStatus(
    status,
    unreachable !== undefined,
    pending.get(server.id),
    Date.now(),
    server.suspension !== undefined,
  )
  const effectiveStatus = getEffectiveStatus(displayStatus, status)

  const sending = useAction((action: PowerAction) => send(server.id, action, status), {
    handleError: (error) => {
      const isShown = isRefusal(error, ...requirementErrors)
      if (isShown) setRequirementError(error)
      return isShown
    },
  })
  const execute = async (action: PowerAction) => {
    // A double click sends the action once.
    if (inFlight.current.has(action)) return
    inFlight.current.add(action)
    setRequirementError(undefined)
    const isAccepted = await sending.mutate(action)
    inFlight.current.delete(action)
    onSettled(action, isAccepted)
  }
  const run = async (action: PowerAction) => {
    // Kill has its own confirmation, next to its button.
    if (action === 'kill') setKillConfirmOpen(true)
    else if (await confirmPower(server, action, status)) await execute(action)
  }
  const controls = getActions(effectiveStatus)
    .filter((action) => can(requiredPermissions[action]))
    .map((action): PowerControl => {
      const disabledReason = getDisabledReason(action, effectiveStatus, unreachable, status?.isInDoubt)
      return {
        action,
        label: t(getPowerLabel(action, displayStatus)),
        disabledReason,
        isBusy: getActionInProgress(effectiveStatus) === action,
        run: () => {
          if (!disabledReason) void run(action)
        },
      }
    })

  const group = t('server.PowerGroup')
  useHotkeys(
    controls.map((control) => ({
      keys: powerDisplays[control.action].keys,
      label: control.label,
      icon: createElement(powerDisplays[control.action].Icon, { size: 18, 'aria-hidden': true }),
      group,
      isContextual: true,
      enabled: control.disabledReason === undefined,
      run: control.run,
      ...(control.action === 'kill' ? { danger: true } : {}),
    })),
  )

  return {
    displayStatus,
    /** The permitted actions, in the order of the buttons. */
    controls,
    requirementError,
    clearRequirementError: () => setRequirementError(undefined),
    isKillConfirmOpen,
    setKillConfirmOpen,
    kill: () => void execute('kill'),
  }
}
