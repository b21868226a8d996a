import { limits } from '@innkeeper/contract/limits'
import type { Node, NodeHealth, NodeState } from '@innkeeper/contract/nodes'
import { useText } from '../../i18n/text.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Notice } from '../../ui/notice.tsx'
import { type ShownState, StatusMark } from '../../ui/status.tsx'
import classes from './nodes-screen.module.css'

/** Nodes report this often: asked more often they would say nothing new. */
export const whileInView = { refetchInterval: limits.nodeReportEveryMs } as const

const marks: Readonly<Record<NodeState, ShownState>> = {
  online: 'online',
  degraded: 'waiting',
  // A node that is away is a problem; a server that is off is not.
  offline: 'crashed',
  waiting: 'unknown',
}

/** Mark and word of how a node is. */
export function NodeStateLabel({ health }: { health: NodeHealth | undefined }) {
  const text = useText()
  const state = health?.state ?? 'waiting'
  return (
    <span className={`${classes.state} ${classes[state]}`}>
      <StatusMark state={marks[state]} />
      {text(`nodes.State_${state}`)}
    </span>
  )
}

/** When it was heard last, or that it never was. */
export function LastHeard({ health }: { health: NodeHealth | undefined }) {
  const text = useText()
  if (!health?.seenAt) return <>{text('nodes.Never')}</>
  return (
    <>
      {text('nodes.LastHeard')} <Moment at={health.seenAt} />
    </>
  )
}

/** What is wrong with a node that reports, in words that say what to do. */
export function NodeProblems({ node }: { node: Node }) {
  const text = useText()
  const { health } = node
  return health?.problems.map((problem) => (
    <Notice key={problem} kind="warning" urgent={false}>
      {text(`nodes.Problem_${problem}`, {
        address: `${node.privateHost}:${node.privatePort}`,
        seconds: Math.round(Math.abs(health.clockSkewMs ?? 0) / 1000),
        version: health.features?.version ?? '',
      })}
    </Notice>
  ))
}

/** Where a node is, for people, panels and files. */
export function NodeAddresses({ node }: { node: Node }) {
  const text = useText()
  const publicAddress = `${node.publicHost}:${node.publicPort}`
  const privateAddress = `${node.privateHost}:${node.privatePort}`
  const { servers } = node.health ?? {}
  return (
    <dl className={classes.facts}>
      <div>
        <dt>{text('nodes.PublicAddress')}</dt>
        <dd dir="ltr">{publicAddress}</dd>
      </div>
      <div>
        <dt>{text('nodes.PrivateAddress')}</dt>
        <dd dir="ltr">{node.isLocal ? '\u2013' : privateAddress}</dd>
      </div>
      <div>
        <dt>{text('nodes.SftpPort')}</dt>
        <dd dir="ltr">{node.sftpPort}</dd>
      </div>
      {servers && (
        <div>
          <dt>{text('nodes.Servers')}</dt>
          <dd>{text('nodes.ServersRunning', servers)}</dd>
        </div>
      )}
    </dl>
  )
}
