import type { ServerRight } from '@innkeeper/contract/permissions'
import type { RefusalCode } from '@innkeeper/contract/refusals'
import type { ServerStatus } from '@innkeeper/contract/status'
import { use, useCallback, useEffect, useRef, useState } from 'react'
import { isRefusal, request } from '../../api/request.ts'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import type { DisplayStatus } from '../../ui/status.tsx'
import { powerCalls } from './calls.ts'
import {
  type Asked,
  actionNames,
  actionsFor,
  believedMs,
  type Obstacle,
  obstacleTo,
  type PowerAction,
  rightFor,
  runningAction,
  shownState,
  stateToActOn,
} from './power.ts'

/** What is missing on the node: told above the console with the exact message, not only in passing. */
const missing: readonly RefusalCode[] = [
  'ErrMissingBinary',
  'ErrUnsupportedOS',
  'ErrUnsupportedArch',
  'ErrDockerNotSupported',
  'ErrImageUnavailable',
  'ErrContainerFailed',
]

interface Needs {
  readonly id: string
  readonly status: ServerStatus | undefined
  /** Who does not answer, so that nothing is known. */
  readonly unreachable: 'panel' | 'node' | undefined
  readonly can: (right: ServerRight) => boolean
  /** An action was taken on by the node, or refused: the state may have changed. */
  readonly onSent: (action: PowerAction, isAccepted: boolean) => void
}

export interface Control {
  readonly action: PowerAction
  readonly label: string
  readonly obstacle: Obstacle | undefined
  /** The server is at it. */
  readonly isBusy: boolean
  readonly run: () => void
}

export interface Power {
  readonly state: DisplayStatus
  /** What may be done, in the order of the buttons; what is not permitted is absent. */
  readonly controls: readonly Control[]
  /** A requirement that the node does not meet. */
  readonly lack: unknown
  readonly forgetLack: () => void
  readonly isAskingToKill: boolean
  readonly askToKill: (isAsking: boolean) => void
  readonly kill: () => void
}

/** Start, stop, restart, kill and install of one server: what is possible now, and doing it once. */
export function usePower({ id, status, unreachable, can: may, onSent }: Needs): Power {
  const t = useT()
  const tell = use(ShowErrorContext)
  const confirm = useConfirm()
  const [asked, setAsked] = useState<Asked>()
  const [lack, setLack] = useState<unknown>()
  const [isAskingToKill, askToKill] = useState(false)
  const underWay = useRef(new Set<PowerAction>())
  const state = shownState(status, unreachable !== undefined, asked, Date.now())
  const actual = stateToActOn(state, status)
  useForgetting(asked, setAsked)

  const send = useCallback(
    async (action: PowerAction) => {
      // The second click of a double click asks for what is asked already.
      if (underWay.current.has(action)) return
      underWay.current.add(action)
      setAsked({ action, at: Date.now(), since: status?.since })
      setLack(undefined)
      let isAccepted = false
      try {
        await request(powerCalls[action], { params: { id }, query: {} })
        isAccepted = true
      } catch (refusal) {
        setAsked(undefined)
        if (isRefusal(refusal, ...missing)) setLack(refusal)
        else tell(refusal)
      } finally {
        underWay.current.delete(action)
        onSent(action, isAccepted)
      }
    },
    [id, status?.since, onSent, tell],
  )
  const install = useCallback(async () => {
    const wanted = await confirm({
      title: t('server.PowerInstallTitle'),
      body: t(actual === 'online' ? 'server.PowerInstallRunning' : 'server.PowerInstallBody'),
      action: t('server.PowerInstall'),
    })
    if (wanted) await send('install')
  }, [confirm, send, actual, t])

  const obstacleOf = (action: PowerAction) => obstacleTo(action, actual, unreachable, status?.isInDoubt)
  const run = (action: PowerAction) => {
    if (obstacleOf(action)) return
    if (action === 'kill') askToKill(true)
    else if (action === 'install') void install()
    else void send(action)
  }
  const busy = runningAction(actual)
  const controls = actionsFor(actual)
    .filter((action) => may(rightFor[action]))
    .map(
      (action): Control => ({
        action,
        label: t(actionNames[action]),
        obstacle: obstacleOf(action),
        isBusy: busy === action,
        run: () => run(action),
      }),
    )

  const group = t('server.PowerGroup')
  const keys = { start: 'r r', restart: 'r r', stop: 'r s', kill: 'r k', cancelInstall: 'r k', install: 'r i' }
  useHotkeys(
    controls.map(({ action, label, obstacle, run: runIt }) => ({
      keys: keys[action],
      label,
      group,
      isContextual: true,
      enabled: obstacle === undefined,
      run: runIt,
      ...(action === 'kill' ? { danger: true } : {}),
    })),
  )

  return {
    state,
    controls,
    lack,
    forgetLack: () => setLack(undefined),
    isAskingToKill,
    askToKill,
    kill: () => void send('kill'),
  }
}

/** What was asked is looked at again when it is no longer believed. */
function useForgetting(asked: Asked | undefined, setAsked: (asked: undefined) => void): void {
  useEffect(() => {
    if (!asked) return
    const timer = setTimeout(() => setAsked(undefined), believedMs)
    return () => clearTimeout(timer)
  }, [asked, setAsked])
}
