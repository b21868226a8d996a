import { limits } from '@innkeeper/contract/limits'
import type { Node, NodeHealth, NodeState } from '@innkeeper/contract/nodes'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { type DisplayStatus, StatusIcon } from '../../ui/status.tsx'
import classes from './nodes-screen.module.css'

/** Nodes report this often: asked more often they would say nothing new. */
export const whileInView = { refetchInterval: limits.nodeReportEveryMs } as const

const marks: Readonly<Record<NodeState, DisplayStatus>> = {
  online: 'online',
  degraded: 'waiting',
  // A node that is away is a problem; a server that is off is not.
  offline: 'crashed',
  waiting: 'unknown',
}

/** Mark and word of how a node is. */
export function NodeStateLabel({ health }: { health: NodeHealth | undefined }) {
  const t = useT()
  const state = health?.state ?? 'waiting'
  return (
    <span className={`${classes.state} ${classes[state]}`}>
      <StatusIcon state={marks[state]} />
      {t(`nodes.State_${state}`)}
    </span>
  )
}

/** When it was heard last, or that it never was. */
export function LastHeard({ health }: { health: NodeHealth | undefined }) {
  const t = useT()
  if (!health?.seenAt) return <>{t('nodes.Never')}</>
  return (
    <>
      {t('nodes.LastHeard')} <RelativeTime at={health.seenAt} />
    </>
  )
}

/** What is wrong with a node that reports, in words that say what to do. */
export function NodeProblems({ node }: { node: Node }) {
  const t = useT()
  const { health } = node
  return health?.problems.map((problem) => (
    <Alert key={problem} type="warning" urgent={false}>
      {t(`nodes.Problem_${problem}`, {
        address: `${node.privateHost}:${node.privatePort}`,
        seconds: Math.round(Math.abs(health.clockSkewMs ?? 0) / 1000),
        version: health.features?.version ?? '',
      })}
    </Alert>
  ))
}

/** Where a node is, for people, panels and files. */
export function NodeAddresses({ node }: { node: Node }) {
  const t = useT()
  const publicAddress = `${node.publicHost}:${node.publicPort}`
  const privateAddress = `${node.privateHost}:${node.privatePort}`
  const { servers } = node.health ?? {}
  return (
    <dl className={classes.facts}>
      <div>
        <dt>{t('nodes.PublicAddress')}</dt>
        <dd dir="ltr">{publicAddress}</dd>
      </div>
      <div>
        <dt>{t('nodes.PrivateAddress')}</dt>
        <dd dir="ltr">{node.isLocal ? '\u2013' : privateAddress}</dd>
      </div>
      <div>
        <dt>{t('nodes.SftpPort')}</dt>
        <dd dir="ltr">{node.sftpPort}</dd>
      </div>
      {servers && (
        <div>
          <dt>{t('nodes.Servers')}</dt>
          <dd>{t('nodes.ServersRunning', servers)}</dd>
        </div>
      )}
    </dl>
  )
}
