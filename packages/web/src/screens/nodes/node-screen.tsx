import { editNode, getNode, listNodes, type Node } from '@innkeeper/contract/nodes/nodes'
import {
  listUnregisteredServers,
  registerServer,
  stopUnregisteredServer,
  type UnregisteredServer,
} from '@innkeeper/contract/nodes/unregistered-servers'
import { listServers } from '@innkeeper/contract/servers/servers'
import { Box, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { IconRocket, IconServerOff, IconTrash } from '@tabler/icons-react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { isRefusal, type VersionedResponse } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { refetchOrThrow, useApiQuery, useVersionedApiQuery } from '../../api/use-api.ts'
import { BackupOverviewCard } from '../../features/backups/backup-overview-card.tsx'
import { BackupPlanCard } from '../../features/backups/backup-plan-card.tsx'
import { NodeRetentionCard } from '../../features/backups/retention-cards.tsx'
import { BackupTargetsCard } from '../../features/backups/targets/targets-card.tsx'
import { EvacuationCard } from '../../features/evacuation/evacuation-card.tsx'
import {
  isWaiting,
  LastSeen,
  MaintenanceNote,
  NodeAddresses,
  NodeProblems,
  NodeStateLabel,
  nodePolling,
} from '../../features/nodes/node-status.tsx'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ReadOnlyBadge } from '../../ui/feedback/read-only-badge.tsx'
import { StatusLabel } from '../../ui/feedback/status.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { useScrollToSection } from '../../ui/layout/section-nav.tsx'
import { ActionRow } from '../../ui/lists/action-row.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { scopeNames } from '../../ui/names/scope-name.ts'
import { CodeText } from '../../ui/text/code-text.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { AvailabilityCard } from './availability-card.tsx'
import { CheckStrip } from './check-strip.tsx'
import { DeployDrawer } from './deploy-drawer.tsx'
import { MachineCard } from './machine-card.tsx'
import { useNodeChecks } from './node-checks.ts'
import { type NodeDraft, NodeInputs, nodeFormOptions, toNodeBody, toNodeDraft } from './node-form.tsx'
import { NodeServersCard } from './node-servers-card.tsx'
import { PlacementCard } from './placement-card.tsx'
import { PortsCard } from './ports-card.tsx'
import { useDeleteNode } from './use-delete-node.ts'

/** One node: its state, machine, servers, ports and settings. */
export function NodeScreen() {
  const t = useT()
  const { id = '' } = useParams()
  const canEdit = useCan('nodes.edit')
  const canDeploy = useCan('nodes.deploy')
  const canMove = useCan('servers.admin')
  const [search, setSearch] = useSearchParams()
  const node = useVersionedApiQuery(getNode, { params: { id } }, nodePolling)
  const checks = useNodeChecks(node.data ? [node.data.response] : [], node)
  useScrollToSection(node.data !== undefined)
  const isDeploying = search.has('deploy')

  if (isRefusal(node.error, 'ErrNotFound', 'ErrFieldInvalid')) return <NodeNotFound />
  if (!node.data) {
    return (
      <Page type="form">
        <PageHeader title={t('shell.Nodes')} />
        <QueryState inCard query={node} errorTitle={t('nodes.OneLoadFailed')} skeletonHeight={320}>
          {() => null}
        </QueryState>
      </Page>
    )
  }
  const { response, version } = node.data
  const { isLocal, name, health } = response
  return (
    <Page type="form">
      <PageHeader
        title={name}
        badges={
          !canEdit && (
            <ReadOnlyBadge permission={t('shell.NoPermissionFor', { permission: t(scopeNames['nodes.edit']) })} />
          )
        }
        actions={
          canDeploy &&
          !isLocal && (
            <Button
              variant="default"
              leftSection={<IconRocket size={17} aria-hidden />}
              onClick={() => setSearch({ deploy: '' })}
            >
              {t('nodes.Deploy')}
            </Button>
          )
        }
      />
      <Stack component={Paper} gap="sm" p="md">
        <Group gap="sm">
          <NodeStateLabel node={response} />
          <Text variant="note" flex="1 0 auto">
            <LastSeen health={health} />
          </Text>
          {!isWaiting(response) && <CheckStrip name={response.name} checks={checks.get(response.id) ?? []} />}
        </Group>
        <NodeProblems node={response} />
        <MaintenanceNote node={response} />
        <NodeAddresses node={response} />
        {isLocal && <Text variant="note">{t('nodes.LocalWhy')}</Text>}
      </Stack>
      {canEdit && <AvailabilityCard key={`availability-${response.id}`} node={response} />}
      {canMove && !isWaiting(response) && <EvacuationCard key={`evacuation-${response.id}`} node={response} />}
      <MachineCard node={response} />
      <NodeServersCard node={response.id} />
      {!isWaiting(response) && (
        <>
          {canEdit && <UnregisteredServersCard key={`unregistered-${response.id}`} node={response.id} />}
          <BackupOverviewCard key={`backups-${response.id}`} node={response.id} />
          <BackupTargetsCard key={`targets-${response.id}`} node={response.id} canEdit={canEdit} />
          <BackupPlanCard key={`plan-${response.id}`} node={response.id} />
        </>
      )}
      {canEdit && <NodeRetentionCard key={`retention-${response.id}`} node={response.id} />}
      <PlacementCard key={`placement-${response.id}`} node={response.id} canEdit={canEdit} />
      <PortsCard key={`ports-${response.id}`} node={response.id} canEdit={canEdit} />
      {canEdit && !isLocal && (
        <NodeSettingsCard key={response.id} node={response} version={version} reload={() => refetchOrThrow(node)} />
      )}
      {isDeploying && canDeploy && !isLocal && <DeployDrawer node={response} onClose={() => setSearch({})} />}
    </Page>
  )
}

interface NodeSettingsCardProps {
  readonly node: Node
  readonly version: string | undefined
  readonly reload: () => Promise<VersionedResponse<Node>>
}

function NodeSettingsCard({ node, version, reload }: NodeSettingsCardProps) {
  const t = useT()
  const navigate = useNavigate()
  const edit = useApiMutation(editNode, { invalidates: [listNodes, getNode] })
  const form = useSaveForm<NodeDraft>({
    ...nodeFormOptions(t),
    id: `node-${node.id}`,
    saved: { values: toNodeDraft(node), version },
    reload: async () => {
      const latest = await reload()
      return { values: toNodeDraft(latest.response), version: latest.version }
    },
    send: ({ values, version: seen }) =>
      edit.mutateAsync({ params: { id: node.id }, body: toNodeBody(values) }, { version: seen }),
    failure: t('nodes.UpdateFailed'),
  })
  const { remove, isPending } = useDeleteNode(node, () => {
    // Unsaved changes of a deleted node must not block the navigation.
    form.discard()
    void navigate('/node')
  })
  return (
    <>
      <Paper>
        <SaveForm form={form} isInCard id="settings" aria-label={t('nodes.Settings')}>
          <CardHeader title={t('nodes.Settings')} />
          <Box p="md">
            <NodeInputs form={form} />
          </Box>
          <SaveBar form={form} isInline />
        </SaveForm>
      </Paper>
      <Paper>
        <ActionRow
          isDangerous
          title={t('nodes.Delete')}
          description={t('nodes.DeleteBody')}
          icon={IconTrash}
          action={t('nodes.Delete')}
          loading={isPending}
          onClick={() => void remove()}
        />
      </Paper>
    </>
  )
}

function NodeNotFound() {
  const t = useT()
  return (
    <Page type="form">
      <PageHeader title={t('shell.Nodes')} />
      <Paper>
        <EmptyState
          icon={IconServerOff}
          title={t('nodes.NotFound')}
          link={{ to: '/node', label: t('servers.AllNodes') }}
        />
      </Paper>
    </Page>
  )
}

/** Servers of a node that the panel does not have, with buttons to add or stop them; nothing while there are none. */
function UnregisteredServersCard({ node }: { node: number }) {
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
