import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { getNodeBackups } from '@innkeeper/contract/backups/node-backups'
import { getNodePorts, type NodePorts } from '@innkeeper/contract/nodes/node-ports'
import { listServers } from '@innkeeper/contract/servers/servers'
import { bracketed } from '@innkeeper/contract/text/address'
import { Anchor, Group, Paper, Table, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useApiQuery, useVersionedApiQuery } from '../../api/use-api.ts'
import { statusFromUsage, useUsageQuery } from '../../features/servers/use-usage-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { StatusLabel } from '../../ui/feedback/status.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { CardTable } from '../../ui/lists/card-table.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'

/** The list of servers shows the rest. */
const maxServers = 50

/** The servers of a node with their status, ports and the size of their backups. */
export function NodeServersCard({ node }: { node: number }) {
  const t = useT()
  const query = useApiQuery(listServers, { query: { node, limit: maxServers } })
  const isLong = query.data !== undefined && query.data.paging.total > query.data.servers.length
  return (
    <Paper>
      <CardHeader title={t('shell.Servers')}>
        {isLong && (
          <Anchor component={Link} to={`/server?node=${node}`} fz="compact">
            {t('nodes.AllServers')}
          </Anchor>
        )}
      </CardHeader>
      <QueryState
        query={query}
        errorTitle={t('common.ServersNotLoaded')}
        isEmpty={({ servers }) => servers.length === 0}
        empty={
          <Text p="md" c="dimmed">
            {t('servers.EmptyTitle')}
          </Text>
        }
      >
        {({ servers }) => <NodeServerTable node={node} servers={servers} />}
      </QueryState>
    </Paper>
  )
}

interface NodeServerTableProps {
  readonly node: number
  readonly servers: ResponseOf<typeof listServers>['servers']
}

function NodeServerTable({ node, servers }: NodeServerTableProps) {
  const t = useT()
  const { fileSize } = useFormatters()
  const ports = useVersionedApiQuery(getNodePorts, { params: { id: node } })
  const backups = useApiQuery(getNodeBackups, { params: { id: node } })
  const usage = useUsageQuery(servers.map(({ id }) => id))
  const statuses = new Map((usage.data ?? []).map((server) => [server.id, statusFromUsage(server)]))
  const backupBytes = new Map((backups.data ?? []).map(({ server, bytes }) => [server, bytes]))
  const portsById = groupPorts(ports.data?.response.reserved ?? [])
  return (
    <CardTable layout="fixed" horizontalSpacing="md" aria-label={t('shell.Servers')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="8.5rem">{t('servers.Status')}</Table.Th>
          <Table.Th>{t('common.Name')}</Table.Th>
          <Table.Th>{t('nodes.PortsReserved')}</Table.Th>
          <Table.Th w="6.5rem">{t('server.TabBackups')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {servers.map(({ id, name }) => {
          const bytes = backupBytes.get(id)
          return (
            <Table.Tr key={id}>
              <Table.Td>
                <StatusLabel state={statuses.get(id) ?? 'unknown'} />
              </Table.Td>
              <Table.Td flex="1 1 60%" miw={0}>
                <Anchor
                  component={Link}
                  to={`/server/${id}`}
                  c="var(--ik-text)"
                  fw={500}
                  display="block"
                  miw={0}
                  truncate
                  dir="auto"
                >
                  {name}
                </Anchor>
              </Table.Td>
              <Table.Td flex="1 1 60%" c="dimmed">
                <Group gap="2xs" miw={0} style={{ overflowWrap: 'anywhere' }}>
                  {portsById.get(id)?.map((port) => <CodeText key={port}>{port}</CodeText>) ?? '\u2013'}
                </Group>
              </Table.Td>
              <Table.Td c="dimmed" data-label={t('server.TabBackups')}>
                {bytes === undefined ? '\u2013' : fileSize(bytes)}
              </Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </CardTable>
  )
}

/** The reserved ports as `address:port`, by the id of their server. */
function groupPorts(reserved: NodePorts['reserved']): ReadonlyMap<string, readonly string[]> {
  const ports = new Map<string, string[]>()
  for (const { address, port, server } of reserved) {
    const text = `${bracketed(address)}:${port}`
    ports.set(server.id, [...(ports.get(server.id) ?? []), text])
  }
  return ports
}
