import type { Node, NodeHealth, NodeState } from '@innkeeper/contract/nodes/nodes'
import { bracketed } from '@innkeeper/contract/text/address'
import { limits } from '@innkeeper/contract/text/limits'
import { Badge, DataList, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Trans } from 'react-i18next'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { type DisplayStatus, StatusIcon } from '../../ui/feedback/status.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import { maintenanceText } from '../../ui/text/node-availability.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import classes from './node-status.module.css'

/** Query options that poll as often as nodes report. */
export const nodePolling = { refetchInterval: limits.nodeReportEveryMs } as const

const displays: Readonly<Record<NodeState, { readonly icon: DisplayStatus; readonly color: string }>> = {
  online: { icon: 'online', color: 'var(--ik-online)' },
  degraded: { icon: 'waiting', color: 'var(--ik-warning)' },
  // An unreachable node is a problem, a stopped server is not.
  offline: { icon: 'crashed', color: 'var(--ik-offline)' },
  waiting: { icon: 'unknown', color: 'dimmed' },
}

/** Icon and name of a node's state, and whether it is draining or in maintenance. */
export function NodeStateLabel({ node: { health, availability } }: { node: Pick<Node, 'health' | 'availability'> }) {
  const t = useT()
  const state = health?.state ?? 'waiting'
  const { icon, color } = displays[state]
  return (
    <>
      <Group component="span" gap="xs" c={color}>
        <StatusIcon state={icon} />
        {t(`nodes.State_${state}`)}
      </Group>
      {availability && <Badge flex="none">{t(`nodes.Availability_${availability.state}`)}</Badge>}
    </>
  )
}

/** Why a node is in maintenance and until when; nothing while it is not. */
export function MaintenanceNote({ node }: { node: Pick<Node, 'name' | 'availability'> }) {
  const text = maintenanceText(useT(), useFormatters(), node)
  return text !== undefined && <Alert type="info">{text}</Alert>
}

/** Whether the node has never connected: there is nothing to ask it for. */
export const isWaiting = ({ health }: Pick<Node, 'health'>): boolean => (health?.state ?? 'waiting') === 'waiting'

/** When the node reported last; nothing before its first connection, which its state says. */
export function LastSeen({ health }: { health: NodeHealth | undefined }) {
  if (!health?.seenAt) return null
  return <Trans i18nKey="nodes.LastSeen" components={{ time: <RelativeTime time={health.seenAt} /> }} />
}

/** The problems that a node reports. */
export function NodeProblems({ node }: { node: Node }) {
  const t = useT()
  const { health } = node
  return health?.problems.map((problem) => (
    <Alert key={problem} type="warning" role="status">
      {problem === 'unreachable' && node.privateHost === ''
        ? t('nodes.Problem_noTunnel')
        : t(`nodes.Problem_${problem}`, {
            address: `${bracketed(node.privateHost)}:${node.privatePort}`,
            seconds: Math.round(Math.abs(health.clockSkewMs ?? 0) / 1000),
            version: health.features?.version ?? '',
          })}
    </Alert>
  ))
}

export function NodeAddresses({ node }: { node: Node }) {
  const t = useT()
  const { list } = useFormatters()
  const { servers } = node.health ?? {}
  return (
    <Facts
      facts={{
        [t('nodes.PublicAddress')]: <CodeText>{`${bracketed(node.publicHost)}:${node.publicPort}`}</CodeText>,
        [t('nodes.PrivateAddress')]: <PrivateAddress node={node} />,
        [t('nodes.SftpPort')]: <CodeText>{node.sftpPort}</CodeText>,
        [t('nodes.Labels')]: node.labels && list(node.labels),
        [t('shell.Servers')]: servers && t('nodes.ServersRunning', servers),
      }}
    />
  )
}

function PrivateAddress({ node: { isLocal, privateHost, privatePort, health } }: { node: Node }) {
  const t = useT()
  if (isLocal) return '\u2013'
  if (privateHost === '' || health?.isTunnelled) return t('nodes.Tunnelled')
  return <CodeText>{`${bracketed(privateHost)}:${privatePort}`}</CodeText>
}

/** Pairs of a label and a value in a row that wraps. Pairs without a value are left out. */
function Facts({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <DataList orientation="vertical" className={classes.facts}>
      {Object.entries(facts).map(
        ([label, value]) =>
          value !== undefined && (
            <DataList.Item key={label}>
              <DataList.ItemLabel>{label}</DataList.ItemLabel>
              <DataList.ItemValue>{value}</DataList.ItemValue>
            </DataList.Item>
          ),
      )}
    </DataList>
  )
}
