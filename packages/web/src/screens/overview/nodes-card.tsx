import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { Anchor, Group, Paper, Stack } from '@mantine/core'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { SmallMeters } from '../../features/nodes/meters.tsx'
import { NodeStateLabel, nodePolling } from '../../features/nodes/node-status.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'

/** How busy the machines are. */
export function NodesCard() {
  const t = useT()
  const nodes = useApiQuery(listNodes, {}, { ...nodePolling, meta: { quiet: true } })
  return (
    <Paper component="section" aria-label={t('shell.Nodes')}>
      <CardHeader title={t('shell.Nodes')} />
      <QueryState query={nodes} errorTitle={t('common.NodesNotLoaded')}>
        {(list) => (
          <RowList label={t('shell.Nodes')}>
            {list.map((node) => (
              <Stack component="li" key={node.id} gap="xs" px="md" py="sm">
                <Group gap="sm">
                  <Anchor component={Link} to={`/node/${node.id}`} c="var(--ik-text)" fw={500} style={wrap}>
                    {node.name}
                  </Anchor>
                  <NodeStateLabel node={node} />
                </Group>
                {node.health?.machine && (
                  <SmallMeters machine={node.health.machine} isOffline={node.health.state === 'offline'} />
                )}
              </Stack>
            ))}
          </RowList>
        )}
      </QueryState>
    </Paper>
  )
}

const wrap = { overflowWrap: 'anywhere' } as const
