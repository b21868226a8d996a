import { listNodes, type Node } from '@innkeeper/contract/nodes'
import { Anchor, Badge, Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { IconLock, IconPlus, IconRocket, IconSitemap } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import records from '../../ui/records.module.css'
import { DeployDrawer } from './deploy-drawer.tsx'
import { LastSeen, NodeAddresses, NodeProblems, NodeStateLabel, nodePolling } from './node-status.tsx'

/** The machines that servers run on. */
export function NodesScreen() {
  const t = useT()
  const navigate = useNavigate()
  const canEdit = useCan('nodes.edit')
  const nodes = useApiQuery(listNodes, {}, nodePolling)
  const [deployed, setDeployed] = useState<Node>()
  useHotkeys([
    {
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
        title={t('nodes.Title')}
        actions={
          canEdit && (
            <Button component={Link} to="/addnode" leftSection={<IconPlus size={17} aria-hidden />}>
              {t('nodes.Add')}
            </Button>
          )
        }
      />
      <QueryState
        inCard
        query={nodes}
        errorTitle={t('common.NodesNotLoaded')}
        skeleton={<Skeleton h={116} radius="lg" aria-label={t('common.Loading')} />}
        isEmpty={(list) => list.length === 0}
        empty={<EmptyState icon={<IconSitemap size={24} aria-hidden />} title={t('errors.ErrNoNodes')} />}
      >
        {(list) => (
          <Stack component="ul" gap="sm" className={records.list}>
            {list.map((node) => (
              <li key={node.id}>
                <NodeCard node={node} onDeploy={() => setDeployed(node)} />
              </li>
            ))}
          </Stack>
        )}
      </QueryState>
      {nodes.data?.length === 1 && nodes.data[0]?.isLocal && (
        <Text c="dimmed" fz={13}>
          {t('nodes.OnlyLocal')}
        </Text>
      )}
      {deployed && <DeployDrawer node={deployed} onClose={() => setDeployed(undefined)} />}
    </Page>
  )
}

function NodeCard({ node, onDeploy }: { node: Node; onDeploy: () => void }) {
  const t = useT()
  const canDeploy = useCan('nodes.deploy')
  return (
    <Stack component={Paper} gap="sm" p="md">
      <Group justify="space-between" wrap="nowrap">
        <Stack gap={2}>
          <Group gap="sm">
            <NodeStateLabel health={node.health} />
            <Anchor
              component={Link}
              to={`/node/${node.id}`}
              aria-label={t('nodes.Open', { name: node.name })}
              c="var(--ik-text)"
              fw={600}
            >
              {node.name}
            </Anchor>
          </Group>
          <Text c="dimmed" fz={13}>
            {node.isLocal ? t('nodes.LocalWhy') : <LastSeen health={node.health} />}
          </Text>
        </Stack>
        {node.isLocal ? (
          <Badge leftSection={<IconLock size={13} aria-hidden />} flex="none">
            {t('nodes.NotEditable')}
          </Badge>
        ) : (
          canDeploy && (
            <Button
              size="xs"
              variant="default"
              flex="none"
              leftSection={<IconRocket size={16} aria-hidden />}
              onClick={onDeploy}
            >
              {t('nodes.Deploy')}
            </Button>
          )
        )}
      </Group>
      <NodeAddresses node={node} />
      <NodeProblems node={node} />
    </Stack>
  )
}
