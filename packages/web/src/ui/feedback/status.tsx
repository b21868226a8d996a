import { hasCrashed, isNotResponding, type ServerState, type ServerStatus } from '@innkeeper/contract/servers/status'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import classes from './status.module.css'

/**
 * The status of a server as shown: the state that the node reports, `unknown`, `restarting` for a restart that this
 * browser requested, `crashed` for a server that is offline because it crashed, `notResponding` for one that is online, or
 * `sleeping`, and `suspended` by an administrator.
 */
export type DisplayStatus =
  | ServerState
  | 'unknown'
  | 'restarting'
  | 'crashed'
  | 'notResponding'
  | 'sleeping'
  | 'suspended'

/** The status to show for what a node reports; `unknown` when the node is not sure. */
export function toDisplayStatus(status: ServerStatus): DisplayStatus {
  if (status.isInDoubt) return 'unknown'
  if (status.sleeping) return 'sleeping'
  if (isNotResponding(status)) return 'notResponding'
  return hasCrashed(status) ? 'crashed' : status.state
}

/** The status to show of a suspended server: `suspended`, unless it still does something. */
export function toSuspendedStatus(reported: DisplayStatus): DisplayStatus {
  return reported === 'stopping' || reported === 'installing' ? reported : 'suspended'
}

type Shape = 'online' | 'sleeping' | 'offline' | 'crashed' | 'notResponding' | 'suspended' | 'unknown' | 'busy'

const shapes: Readonly<Record<DisplayStatus, Shape>> = {
  online: 'online',
  sleeping: 'sleeping',
  offline: 'offline',
  crashed: 'crashed',
  notResponding: 'notResponding',
  suspended: 'suspended',
  unknown: 'unknown',
  installing: 'busy',
  starting: 'busy',
  stopping: 'busy',
  waiting: 'busy',
  restarting: 'busy',
}

export function statusLabel(t: TFunction, state: DisplayStatus): string {
  return t(`status.${state}`)
}

interface StatusIconProps {
  readonly state: DisplayStatus
  readonly size?: number
  /** With a label for screen readers, where no text is beside it, and a tooltip. */
  readonly named?: boolean
  /** With a tooltip. */
  readonly hasTooltip?: boolean
}

/** The icon of a status. */
export function StatusIcon({ state, size = 12, named = false, hasTooltip = named }: StatusIconProps) {
  const t = useT()
  const shape = shapes[state]
  const label = statusLabel(t, state)
  const tooltip = { 'data-tip': label, ...(named && { role: 'img', 'aria-label': label }) }

  return (
    <span className={`${classes.mark} ${classes[shape]}`} {...(hasTooltip && tooltip)}>
      <svg width={size} height={size} viewBox="0 0 12 12" fill="none" stroke="currentColor" aria-hidden="true">
        {shape === 'online' && <circle cx="6" cy="6" r="5" fill="currentColor" stroke="none" />}
        {shape === 'sleeping' && (
          <path d="M10.6 7.6A5 5 0 1 1 4.4 1.4 4.2 4.2 0 0 0 10.6 7.6Z" strokeWidth="1.6" strokeLinejoin="round" />
        )}
        {shape === 'offline' && <rect x="1.75" y="1.75" width="8.5" height="8.5" rx="1.5" strokeWidth="2" />}
        {shape === 'crashed' && <path d="M2.2 2.2l7.6 7.6M9.8 2.2L2.2 9.8" strokeWidth="2.4" strokeLinecap="round" />}
        {shape === 'notResponding' && (
          <path
            d="M6 1.1 11.2 10.7H.8ZM6 4.8V7M6 8.8v.2"
            strokeWidth="1.5"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        )}
        {shape === 'suspended' && (
          <path
            d="M6 1.2a4.8 4.8 0 1 1 0 9.6 4.8 4.8 0 0 1 0-9.6ZM2.7 9.3l6.6-6.6"
            strokeWidth="1.8"
            strokeLinecap="round"
          />
        )}
        {shape === 'unknown' && <circle cx="6" cy="6" r="4.6" strokeWidth="1.8" strokeDasharray="2.6 2.2" />}
        {shape === 'busy' && (
          <>
            <circle cx="6" cy="6" r="4.6" strokeOpacity="0.3" strokeWidth="2" />
            <path d="M6 1.4A4.6 4.6 0 0 1 10.6 6" strokeWidth="2" strokeLinecap="round" />
          </>
        )}
      </svg>
    </span>
  )
}

/** Icon and label of a status in its color. Plain elements, because each row of a list has one. */
export function StatusLabel({ state }: { state: DisplayStatus }) {
  const t = useT()
  return (
    <span className={`${classes.label} ${classes[shapes[state]]}`}>
      <StatusIcon state={state} hasTooltip />
      {statusLabel(t, state)}
    </span>
  )
}
