import type { NodeIsolation } from '@innkeeper/contract/nodes'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './nodes-screen.module.css'

/** What keeps the servers of a node from each other, and what does not and why. Nothing when it did not say. */
export function IsolationList({ isolation }: { isolation: NodeIsolation | undefined }) {
  const t = useT()
  if (!isolation) return null
  const { user, hiddenProcesses, noNewPrivileges, limits } = isolation
  const abilities = { user, ...(hiddenProcesses && { hiddenProcesses }), noNewPrivileges, ...limits }

  return (
    <ul className={classes.isolation} aria-label={t('nodes.Isolation')}>
      {Object.entries(abilities).map(([name, { enforced, reason }]) => (
        <li key={name} className={enforced ? classes.held : classes.open}>
          {enforced ? <IconCircleCheck size={16} aria-hidden /> : <IconAlertTriangle size={16} aria-hidden />}
          <span>
            {t(enforced ? `nodes.Held_${name}` : `nodes.Open_${name}`)}
            {reason !== undefined && <span className={classes.reason}>{reason}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}
