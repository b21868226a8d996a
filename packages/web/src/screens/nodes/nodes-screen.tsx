import { listNodes, type Node, type NodeState } from '@innkeeper/contract/nodes/nodes'
import { ActionIcon, Anchor, Badge, Button, Group, Menu, Paper, Stack, Text, Tooltip } from '@mantine/core'
import { IconLock, IconPencil, IconPlus, IconRocket, IconServer2, IconSitemap, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { BackupOverviewCard } from '../../features/backups/backup-overview-card.tsx'
import { BackupPlanCard } from '../../features/backups/backup-plan-card.tsx'
import { SmallMeters } from '../../features/nodes/meters.tsx'
import {
  isWaiting,
  LastSeen,
  MaintenanceNote,
  NodeAddresses,
  NodeProblems,
  NodeStateLabel,
  nodePolling,
} from '../../features/nodes/node-status.tsx'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { DocsLink } from '../../ui/layout/docs-link.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { CheckStrip } from './check-strip.tsx'
import { DeployDrawer } from './deploy-drawer.tsx'
import { JoinTokensCard } from './join-tokens-card.tsx'
import { useNodeChecks } from './node-checks.ts'
import { useDeleteNode } from './use-delete-node.ts'

const noNodes: readonly Node[] = []

/** The machines that servers run on. */
export function NodesScreen() {
  const t = useT()
  const navigate = useNavigate()
  const canEdit = useCan('nodes.edit')
  const nodes = useApiQuery(listNodes, {}, nodePolling)
  const checks = useNodeChecks(nodes.data ?? noNodes, nodes)
  const [deployed, setDeployed] = useState<Node>()
  useHotkeys([
    {
      id: 'add-node',
      label: t('nodes.Add'),
      group: t('hotkeys.GoTo'),
      icon: <IconPlus size={18} aria-hidden />,
      enabled: canEdit,
      run: () => void navigate('/addnode'),
    },
  ])

  return (
    <Page>
      <PageHeader
        title={t('shell.Nodes')}
        actions={
          // The empty state has a button of its own.
          canEdit && nodes.data?.length !== 0 && <AddNodeButton />
        }
      />
      <QueryState
        inCard
        query={nodes}
        errorTitle={t('common.NodesNotLoaded')}
        isEmpty={(list) => list.length === 0}
        empty={<NoNodes canAdd={canEdit} />}
      >
        {(list) => (
          <Stack component="ul" gap="sm">
            {list.map((node) => (
              <li key={node.id}>
                <NodeCard node={node} checks={checks.get(node.id)} onDeploy={() => setDeployed(node)} />
              </li>
            ))}
          </Stack>
        )}
      </QueryState>
      {nodes.data?.length === 1 && nodes.data[0]?.isLocal && <Text variant="note">{t('nodes.OnlyLocal')}</Text>}
      {nodes.data !== undefined && nodes.data.length > 0 && (
        <>
          <BackupOverviewCard />
          <BackupPlanCard />
        </>
      )}
      {canEdit && nodes.data !== undefined && <JoinTokensCard />}
      {deployed && <DeployDrawer node={deployed} onClose={() => setDeployed(undefined)} />}
    </Page>
  )
}

function AddNodeButton() {
  const t = useT()
  return (
    <Button component={Link} to="/addnode" leftSection={<IconPlus size={17} aria-hidden />}>
      {t('nodes.Add')}
    </Button>
  )
}

function NoNodes({ canAdd }: { canAdd: boolean }) {
  const t = useT()
  return (
    <EmptyState icon={IconSitemap} title={t('errors.ErrNoNodes')} actions={canAdd && <AddNodeButton />}>
      {t('first-steps.NodeWhy')} <DocsLink to="nodes">{t('first-steps.NodeDocs')}</DocsLink>
    </EmptyState>
  )
}

interface NodeCardProps {
  readonly node: Node
  readonly checks: readonly NodeState[] | undefined
  readonly onDeploy: () => void
}

function NodeCard({ node, checks = [], onDeploy }: NodeCardProps) {
  const t = useT()
  const canEdit = useCan('nodes.edit')
  const canDeploy = useCan('nodes.deploy')
  const { machine, state } = node.health ?? {}
  return (
    <Stack component={Paper} gap="sm" p="md">
      <Group gap="sm" justify="space-between">
        <Stack gap="3xs" flex="1 1 18rem" miw={0}>
          <Group gap="sm">
            <NodeStateLabel node={node} />
            <Anchor
              component={Link}
              to={`/node/${node.id}`}
              aria-label={t('nodes.Open', { name: node.name })}
              c="var(--ik-text)"
              fw={600}
              style={{ overflowWrap: 'anywhere' }}
            >
              {node.name}
            </Anchor>
          </Group>
          <Text variant="note">
            <LastSeen health={node.health} />
            {node.isLocal && ` \u00b7 ${t('nodes.LocalWhy')}`}
          </Text>
        </Stack>
        <Group gap="sm">
          {!isWaiting(node) && <CheckStrip name={node.name} checks={checks} />}
          {node.isLocal && (
            <Badge leftSection={<IconLock size={13} aria-hidden />} flex="none">
              {t('nodes.NotEditable')}
            </Badge>
          )}
          {!node.isLocal && canDeploy && (
            <Button
              size="xs"
              variant="default"
              flex="none"
              leftSection={<IconRocket size={16} aria-hidden />}
              onClick={onDeploy}
            >
              {t('nodes.Deploy')}
            </Button>
          )}
          {!node.isLocal && canEdit && <EditActions node={node} />}
        </Group>
      </Group>
      <NodeAddresses node={node} />
      {machine && <SmallMeters machine={machine} isOffline={state === 'offline'} />}
      <NodeProblems node={node} />
      <MaintenanceNote node={node} />
    </Stack>
  )
}

function EditActions({ node }: { node: Node }) {
  const t = useT()
  const { remove } = useDeleteNode(node)
  const { name } = node
  return (
    <Group gap="2xs">
      <Tooltip label={t('common.Edit')}>
        <ActionIcon component={Link} to={`/node/${node.id}#settings`} aria-label={t('common.EditNamed', { name })}>
          <IconPencil size={17} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <IconMenu label={t('common.MoreFor', { name })}>
        <Menu.Item component={Link} to={`/server?node=${node.id}`} leftSection={<IconServer2 size={16} aria-hidden />}>
          {t('nodes.ShowServers')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          c="var(--ik-offline)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => void remove()}
        >
          {t('nodes.Delete')}
        </Menu.Item>
      </IconMenu>
    </Group>
  )
}
