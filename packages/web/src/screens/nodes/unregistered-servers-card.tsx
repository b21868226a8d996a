import {
  listUnregisteredServers,
  registerServer,
  stopUnregisteredServer,
  type UnregisteredServer,
} from '@innkeeper/contract/nodes/unregistered-servers'
import { listServers } from '@innkeeper/contract/servers/servers'
import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { StatusLabel } from '../../ui/feedback/status.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import { toast } from '../../ui/toasts/toast.tsx'

/** Servers of a node that the panel does not have, with buttons to add or stop them; nothing while there are none. */
export function UnregisteredServersCard({ node }: { node: number }) {
  const t = useT()
  const { data: servers = [] } = useApiQuery(listUnregisteredServers, { params: { id: node } })
  if (servers.length === 0) return null
  return (
    <Paper component="section" aria-label={t('nodes.Unregistered')}>
      <CardHeader title={t('nodes.Unregistered')} />
      <Stack p="md" gap="sm">
        <Text variant="note">{t('nodes.UnregisteredAbout')}</Text>
        {servers.map((server) => (
          <UnregisteredServerRow key={server.id} node={node} server={server} />
        ))}
      </Stack>
    </Paper>
  )
}

function UnregisteredServerRow({ node, server }: { node: number; server: UnregisteredServer }) {
  const t = useT()
  const { id, display, running } = server
  const params = { id: node, server: id }
  const register = useApiMutation(registerServer, {
    invalidates: [listUnregisteredServers, listServers],
    onSuccess: () => toast.success(t('common.Added', { name: id })),
  })
  const stop = useApiMutation(stopUnregisteredServer, { invalidates: [listUnregisteredServers] })
  return (
    <Group gap="sm" role="group" aria-label={id}>
      <StatusLabel state={running ? 'online' : 'offline'} />
      <CodeText>{id}</CodeText>
      <Text flex="1 1 8rem" miw={0} truncate dir="auto">
        {display}
      </Text>
      {running && (
        <Button size="xs" variant="default" loading={stop.isPending} onClick={() => stop.mutate({ params })}>
          {t('server.PowerStop')}
        </Button>
      )}
      <Button size="xs" loading={register.isPending} onClick={() => register.mutate({ params })}>
        {t('nodes.Register')}
      </Button>
    </Group>
  )
}
