import { deleteNode, editNode, getNode, listNodes, type Node } from '@innkeeper/contract/nodes'
import { listServers } from '@innkeeper/contract/servers'
import { Button, Flex, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconRocket, IconServerOff, IconTrash } from '@tabler/icons-react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import {
  ifMatch,
  refetchOrThrow,
  useApiQuery,
  useVersionedApiQuery,
  type VersionedAnswer,
} from '../../api/use-api-query.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { Page, PageHeader } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import records from '../../ui/records.module.css'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast, useShowError } from '../../ui/toast.tsx'
import { DeployDrawer } from './deploy-drawer.tsx'
import { Facts } from './facts.tsx'
import { type NodeDraft, NodeInputs, nodeFormOptions, toNodeBody, toNodeDraft } from './node-form.tsx'
import { LastSeen, NodeAddresses, NodeProblems, NodeStateLabel, nodePolling } from './node-status.tsx'
import { PortsCard } from './ports-card.tsx'
import { SandboxStatus } from './sandbox-status.tsx'

/** One node: its state, machine, servers, ports and settings. */
export function NodeScreen() {
  const t = useT()
  const { id = '' } = useParams()
  const canEdit = useCan('nodes.edit')
  const canDeploy = useCan('nodes.deploy')
  const [search, setSearch] = useSearchParams()
  const node = useVersionedApiQuery(getNode, { params: { id } }, nodePolling)
  const isDeploying = search.has('deploy')

  if (isRefusal(node.error, 'ErrNotFound', 'ErrFieldInvalid')) return <NodeNotFound />
  if (!node.data) {
    return (
      <Page type="form">
        <PageHeader title={t('nodes.Title')} />
        <QueryState
          inCard
          query={node}
          errorTitle={t('nodes.OneLoadFailed')}
          skeleton={<Skeleton h={320} radius="lg" aria-label={t('common.Loading')} />}
        >
          {() => null}
        </QueryState>
      </Page>
    )
  }
  const { answer, version } = node.data
  const { isLocal, name, health } = answer
  return (
    <Page type="form">
      <PageHeader
        title={name}
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
          <NodeStateLabel health={health} />
          <Text c="dimmed" fz={13}>
            <LastSeen health={health} />
          </Text>
        </Group>
        <NodeProblems node={answer} />
        <NodeAddresses node={answer} />
        {isLocal && (
          <Text c="dimmed" fz={13}>
            {t('nodes.LocalWhy')}
          </Text>
        )}
      </Stack>
      {health?.machine && <MachineCard node={answer} />}
      <ServersCard node={answer.id} />
      <PortsCard key={`ports-${answer.id}`} node={answer.id} canEdit={canEdit} />
      {canEdit && !isLocal && (
        <SettingsCard key={answer.id} node={answer} version={version} reload={() => refetchOrThrow(node)} />
      )}
      {isDeploying && canDeploy && !isLocal && <DeployDrawer node={answer} onClose={() => setSearch({})} />}
    </Page>
  )
}

function MachineCard({ node }: { node: Node }) {
  const t = useT()
  const { fileSize, list, percent } = useFormatters()
  const { machine, features } = node.health ?? {}
  if (!machine) return null
  const usage = ({ used, total }: { used: number; total: number }) =>
    t('nodes.UsedOf', { used: fileSize(used, { decimals: 2 }), total: fileSize(total, { decimals: 2 }) })
  return (
    <Stack component={Paper} gap="sm" p="md">
      <Title order={2}>{t('nodes.Machine')}</Title>
      <Facts
        facts={{
          [t('nodes.System')]: features && `${features.os} ${features.arch}`,
          [t('nodes.Version')]: features?.version,
          [t('common.Cpu')]: t('nodes.CpuValue', { used: percent(machine.cpu.used), count: machine.cpu.cores }),
          [t('common.Memory')]: usage(machine.memory),
          [t('nodes.Disk')]: usage(machine.disk),
          [t('nodes.Environments')]: features && list(features.environments.map((type) => environmentName(t, type))),
          [t('nodes.Started')]: <RelativeTime time={machine.startedAt} />,
        }}
      />
      <SandboxStatus isolation={features?.isolation} />
    </Stack>
  )
}

/** The list of servers shows the rest. */
const maxServers = 50

function ServersCard({ node }: { node: number }) {
  const t = useT()
  const servers = useApiQuery(listServers, { query: { node, limit: maxServers } })
  if (!servers.data || servers.data.servers.length === 0) return null
  return (
    <Stack component={Paper} gap="sm" p="md">
      <Title order={2}>{t('nodes.Servers')}</Title>
      <Flex component="ul" className={records.list} wrap="wrap" rowGap="2xs" columnGap="lg">
        {servers.data.servers.map(({ id, name }) => (
          <li key={id}>
            <Link to={`/server/${id}`}>{name}</Link>
          </li>
        ))}
      </Flex>
    </Stack>
  )
}

interface SettingsCardProps {
  readonly node: Node
  readonly version: string | undefined
  readonly reload: () => Promise<VersionedAnswer<Node>>
}

function SettingsCard({ node, version, reload }: SettingsCardProps) {
  const t = useT()
  const showError = useShowError()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const canDeleteServers = useCan('servers.delete')
  const edit = useApiMutation(editNode, { silent: true, invalidates: [listNodes, getNode] })
  const remove = useApiMutation(deleteNode, { silent: true, invalidates: [listNodes] })
  const params = { id: node.id }
  const form = useSaveForm<NodeDraft>({
    ...nodeFormOptions(t),
    id: `node-${node.id}`,
    saved: { values: toNodeDraft(node), version },
    reload: async () => {
      const latest = await reload()
      return { values: toNodeDraft(latest.answer), version: latest.version }
    },
    send: ({ values, version: seen }) => edit.mutateAsync({ params, body: toNodeBody(values) }, ifMatch(seen)),
    onSaved: () => toast.success(t('nodes.Updated')),
    failure: t('nodes.UpdateFailed'),
  })

  /** Deletes the node. While it has servers, offers to delete these from the panel too. Returns whether it is deleted. */
  const deleteWithServers = async (force: boolean): Promise<boolean> => {
    try {
      await remove.mutateAsync({ params, query: force ? { force: 'true' } : {} })
      return true
    } catch (error) {
      const servers = isRefusal(error, 'ErrNodeHasServers') ? String(error.metadata.servers) : undefined
      if (servers === undefined) showError(error)
      else if (canDeleteServers) return (await confirmForce(servers)) && (await deleteWithServers(true))
      else toast.error(t('nodes.HasServers', { servers }))
      return false
    }
  }
  const confirmForce = (servers: string) =>
    confirm({
      title: t('nodes.ForceTitle', { name: node.name }),
      body: t('nodes.ForceBody', { servers }),
      action: t('nodes.Force'),
      danger: true,
      typeToConfirm: node.name,
    })
  const confirmDelete = async () => {
    const isConfirmed = await confirm({
      title: t('common.DeleteQuestion', { name: node.name }),
      body: t('nodes.DeleteBody'),
      action: t('nodes.Delete'),
      danger: true,
      typeToConfirm: node.name,
    })
    if (!isConfirmed) return
    if (!(await deleteWithServers(false))) return
    // Unsaved changes of a deleted node must not block the navigation.
    form.discard()
    toast.success(t('common.Deleted', { name: node.name }))
    await navigate('/node')
  }
  return (
    <SaveForm form={form} aria-label={t('nodes.Settings')}>
      <Stack component={Paper} gap="sm" p="md">
        <Title order={2}>{t('nodes.Settings')}</Title>
        <NodeInputs form={form} />
        <Group mt="lg">
          <Button
            variant="default"
            c="var(--ik-offline)"
            leftSection={<IconTrash size={17} aria-hidden />}
            loading={remove.isPending}
            onClick={() => void confirmDelete()}
          >
            {t('nodes.Delete')}
          </Button>
        </Group>
      </Stack>
      <SaveBar form={form} />
    </SaveForm>
  )
}

function NodeNotFound() {
  const t = useT()
  return (
    <Page type="form">
      <PageHeader title={t('nodes.Title')} />
      <Paper>
        <EmptyState
          icon={<IconServerOff size={24} aria-hidden />}
          title={t('nodes.NotFound')}
          actions={
            <Button component={Link} to="/node" variant="default">
              {t('nodes.ToList')}
            </Button>
          }
        />
      </Paper>
    </Page>
  )
}
