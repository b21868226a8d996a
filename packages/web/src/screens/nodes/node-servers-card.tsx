import type { ResponseOf } from '@innkeeper/contract/endpoint'
import { getNodeBackups } from '@innkeeper/contract/node-backups'
import { getNodePorts, type NodePorts } from '@innkeeper/contract/node-ports'
import { listServers } from '@innkeeper/contract/servers'
import { Anchor, Group, Paper, Table, Text } from '@mantine/core'
import type { ComponentProps } from 'react'
import { Link } from 'react-router'
import { useApiQuery, useVersionedApiQuery } from '../../api/use-api-query.ts'
import { statusFromUsage, useUsageQuery } from '../../features/servers/use-usage-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { CardHeader } from '../../ui/card-header.tsx'
import { CardTable } from '../../ui/card-table.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { StatusLabel } from '../../ui/status.tsx'

/** The list of servers shows the rest. */
const maxServers = 50

/** The servers of a node with their status and ports. */
export function NodeServersCard({ node }: { node: number }) {
  const t = useT()
  const servers = useApiQuery(listServers, { query: { node, limit: maxServers } })
  return (
    <QueryState inCard query={servers} errorTitle={t('common.ServersNotLoaded')}>
      {(page) => (page.servers.length === 0 ? <NoServersOnNode /> : <NodeServers node={node} page={page} />)}
    </QueryState>
  )
}

function NoServersOnNode() {
  const t = useT()
  return (
    <Paper>
      <CardHeader title={t('shell.Servers')} />
      <Text p="md" c="dimmed">
        {t('servers.EmptyTitle')}
      </Text>
    </Paper>
  )
}

function NodeServers({ node, page }: { node: number; page: ResponseOf<typeof listServers> }) {
  const t = useT()
  const ports = useVersionedApiQuery(getNodePorts, { params: { id: node } })
  const backups = useApiQuery(getNodeBackups, { params: { id: node } })
  const { fileSize } = useFormatters()
  const rows = page.servers
  const usage = useUsageQuery(rows.map(({ id }) => id))
  const statuses = new Map((usage.data ?? []).map((server) => [server.id, statusFromUsage(server)]))
  const bytesById = new Map((backups.data ?? []).map(({ server, bytes }) => [server, bytes]))
  const portsById = groupPorts(ports.data?.response.reserved ?? [])
  const shown = rows.map(({ id, name }) => {
    const bytes = bytesById.get(id)
    const state = statuses.get(id) ?? ('unknown' as const)
    return { id, name, state, ports: portsById.get(id), bytes: bytes === undefined ? '\u2013' : fileSize(bytes) }
  })
  const isLong = page.paging.total > rows.length
  return (
    <Paper>
      <CardHeader title={t('shell.Servers')}>
        {isLong && (
          <Anchor component={Link} to={`/server?node=${node}`} fz="compact">
            {t('nodes.AllServers')}
          </Anchor>
        )}
      </CardHeader>
      <NodeServerTable servers={shown} />
    </Paper>
  )
}

interface ServersProps {
  readonly servers: readonly {
    readonly id: string
    readonly name: string
    readonly state: ComponentProps<typeof StatusLabel>['state']
    readonly ports: readonly string[] | undefined
    /** The size of its backups. */
    readonly bytes: string
  }[]
}

function NodeServerTable({ servers }: ServersProps) {
  const t = useT()
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
        {servers.map(({ id, name, state, ports, bytes }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <StatusLabel state={state} />
            </Table.Td>
            <Table.Td flex="1 1 60%" miw={0}>
              <ServerLink id={id} name={name} />
            </Table.Td>
            <Table.Td flex="1 1 60%">
              <Ports ports={ports} />
            </Table.Td>
            <Table.Td c="dimmed" data-label={t('server.TabBackups')}>
              {bytes}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </CardTable>
  )
}

function ServerLink({ id, name }: { readonly id: string; readonly name: string }) {
  return (
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
  )
}

function Ports({ ports }: Pick<ServersProps['servers'][number], 'ports'>) {
  return (
    <Group gap="2xs" miw={0} style={{ overflowWrap: 'anywhere' }}>
      {ports?.map((port) => <CodeText key={port}>{port}</CodeText>) ?? (
        <Text c="dimmed" span>
          {'\u2013'}
        </Text>
      )}
    </Group>
  )
}

/** The reserved ports as `address:port`, by the id of their server. */
function groupPorts(reserved: NodePorts['reserved']): ReadonlyMap<string, readonly string[]> {
  const ports = new Map<string, string[]>()
  for (const { address, port, server } of reserved) {
    const text = `${address.includes(':') ? `[${address}]` : address}:${port}`
    ports.set(server.id, [...(ports.get(server.id) ?? []), text])
  }
  return ports
}
