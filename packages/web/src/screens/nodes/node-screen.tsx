import { deleteNode, editNode, getNode, listNodes, type Node } from '@innkeeper/contract/nodes'
import { listServers } from '@innkeeper/contract/servers'
import { Button, Paper, Skeleton } from '@mantine/core'
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
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast, useShowError } from '../../ui/toast.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { DeployDrawer } from './deploy-drawer.tsx'
import { IsolationList } from './isolation-list.tsx'
import { bodyOf, draftOf, type NodeDraft, NodeInputs, nodeFormOptions } from './node-form.tsx'
import { LastHeard, NodeAddresses, NodeProblems, NodeStateLabel, whileInView } from './node-state.tsx'
import classes from './nodes-screen.module.css'
import { PortsCard } from './ports-card.tsx'

/** One machine: how it is, what it can do, which servers it has, and how it is reached. */
export function NodeScreen() {
  const t = useT()
  const { id = '' } = useParams()
  const mayEdit = useCan('nodes.edit')
  const mayDeploy = useCan('nodes.deploy')
  const [search, setSearch] = useSearchParams()
  const node = useVersionedApiQuery(getNode, { params: { id } }, whileInView)
  const isLate = useDelayed(node.isPending)
  const retry = () => void node.refetch()
  const isDeploying = search.has('deploy')

  if (isRefusal(node.error, 'ErrNotFound', 'ErrFieldInvalid')) return <NobodyThere />
  if (!node.data) {
    return (
      <Page type="form">
        <PageHeader title={t('nodes.Title')} />
        {node.error ? (
          <Paper>
            <QueryError title={t('nodes.OneLoadFailed')} error={node.error} retry={retry} />
          </Paper>
        ) : (
          isLate && <Skeleton h={320} radius="lg" aria-label={t('common.Loading')} />
        )}
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
          mayDeploy &&
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
      <Paper className={classes.part ?? ''}>
        <div className={classes.title}>
          <NodeStateLabel health={health} />
          <span className={classes.quiet}>
            <LastHeard health={health} />
          </span>
        </div>
        <NodeProblems node={answer} />
        <NodeAddresses node={answer} />
        {isLocal && <p className={classes.quiet}>{t('nodes.LocalWhy')}</p>}
      </Paper>
      {health?.machine && <MachineCard node={answer} />}
      <ServersCard node={answer.id} />
      <PortsCard key={`ports-${answer.id}`} node={answer.id} mayEdit={mayEdit} />
      {mayEdit && !isLocal && (
        <SettingsCard key={answer.id} node={answer} version={version} reload={() => refetchOrThrow(node)} />
      )}
      {isDeploying && mayDeploy && !isLocal && <DeployDrawer node={answer} onClose={() => setSearch({})} />}
    </Page>
  )
}

function MachineCard({ node }: { node: Node }) {
  const t = useT()
  const { bytes, percent } = useFormatters()
  const { machine, features } = node.health ?? {}
  if (!machine) return null
  const share = ({ used, total }: { used: number; total: number }) =>
    t('nodes.UsedOf', { used: bytes(used), total: bytes(total) })
  const facts = {
    System: features && `${features.os} ${features.arch}`,
    Version: features?.version,
    Cpu: t('nodes.CpuValue', { used: percent(machine.cpu.used), count: machine.cpu.cores }),
    Memory: share(machine.memory),
    Disk: share(machine.disk),
    Environments: features?.environments.join(', '),
  }
  return (
    <Paper className={classes.part ?? ''}>
      <h2>{t('nodes.Machine')}</h2>
      <dl className={classes.facts}>
        {Object.entries(facts).map(([name, value]) => (
          <div key={name}>
            <dt>{t(`nodes.${name}`)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>{t('nodes.Started')}</dt>
          <dd>
            <RelativeTime at={machine.startedAt} />
          </dd>
        </div>
      </dl>
      <IsolationList isolation={features?.isolation} />
    </Paper>
  )
}

/** So many are shown; the servers list has them all. */
const serversShown = 50

function ServersCard({ node }: { node: number }) {
  const t = useT()
  const servers = useApiQuery(listServers, { query: { node, limit: serversShown } })
  if (!servers.data || servers.data.servers.length === 0) return null
  return (
    <Paper className={classes.part ?? ''}>
      <h2>{t('nodes.Servers')}</h2>
      <ul className={classes.names}>
        {servers.data.servers.map(({ id, name }) => (
          <li key={id}>
            <Link to={`/server/${id}`}>{name}</Link>
          </li>
        ))}
      </ul>
    </Paper>
  )
}

interface SettingsCardProps {
  readonly node: Node
  readonly version: string | undefined
  readonly reload: () => Promise<VersionedAnswer<Node>>
}

function SettingsCard({ node, version, reload }: SettingsCardProps) {
  const t = useT()
  const tell = useShowError()
  const confirm = useConfirm()
  const goTo = useNavigate()
  const mayDeleteServers = useCan('servers.delete')
  const edit = useApiMutation(editNode, { silent: true, invalidates: [listNodes, getNode] })
  const remove = useApiMutation(deleteNode, { silent: true, invalidates: [listNodes] })
  const params = { id: node.id }
  const form = useSaveForm<NodeDraft>({
    ...nodeFormOptions(t),
    id: `node-${node.id}`,
    saved: { values: draftOf(node), version },
    reload: async () => {
      const latest = await reload()
      return { values: draftOf(latest.answer), version: latest.version }
    },
    send: ({ values, version: seen }) => edit.mutateAsync({ params, body: bodyOf(values) }, ifMatch(seen)),
    onSaved: () => toast.success(t('nodes.Updated')),
    failure: t('nodes.UpdateFailed'),
  })

  /** Deletes the node. While it has servers, offers to delete these from the panel too. Returns whether it is deleted. */
  const deleteNow = async (force: boolean): Promise<boolean> => {
    try {
      await remove.mutateAsync({ params, query: force ? { force: 'true' } : {} })
      return true
    } catch (error) {
      const servers = isRefusal(error, 'ErrNodeHasServers') ? String(error.metadata.servers) : undefined
      if (servers === undefined) tell(error)
      else if (mayDeleteServers) return (await confirmForce(servers)) && (await deleteNow(true))
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
  const askAndDelete = async () => {
    const isWanted = await confirm({
      title: t('nodes.DeleteTitle', { name: node.name }),
      body: t('nodes.DeleteBody'),
      action: t('nodes.Delete'),
      danger: true,
      typeToConfirm: node.name,
    })
    if (!isWanted) return
    if (!(await deleteNow(false))) return
    // Nothing of it can be saved any more.
    form.discard()
    toast.success(t('nodes.Deleted', { name: node.name }))
    await goTo('/node')
  }
  return (
    <SaveForm form={form} aria-label={t('nodes.Settings')}>
      <Paper className={classes.part ?? ''}>
        <h2>{t('nodes.Settings')}</h2>
        <NodeInputs form={form} />
        <div className={classes.foot}>
          <Button
            variant="default"
            c="var(--ik-offline)"
            leftSection={<IconTrash size={17} aria-hidden />}
            loading={remove.isPending}
            onClick={() => void askAndDelete()}
          >
            {t('nodes.Delete')}
          </Button>
        </div>
      </Paper>
      <SaveBar form={form} />
    </SaveForm>
  )
}

function NobodyThere() {
  const t = useT()
  return (
    <Page type="form">
      <PageHeader title={t('nodes.Title')} />
      <Paper>
        <EmptyState
          icon={<IconServerOff size={24} aria-hidden />}
          title={t('nodes.Nobody')}
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
