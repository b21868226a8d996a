import { deleteNode, editNode, getNode, listNodes, type Node } from '@innkeeper/contract/nodes'
import { listServers } from '@innkeeper/contract/servers'
import { Button, Skeleton } from '@mantine/core'
import { IconRocket, IconServerOff, IconTrash } from '@tabler/icons-react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { ifMatch, refetched, useCall, useVersionedCall, type VersionedAnswer } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useFormats, useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { Card } from '../../ui/small.tsx'
import { toast, useTellRefusal } from '../../ui/toast.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import { DeployDrawer } from './deploy-drawer.tsx'
import { IsolationList } from './isolation-list.tsx'
import { bodyOf, draftOf, type NodeDraft, NodeInputs, nodeFormOptions } from './node-form.tsx'
import { LastHeard, NodeAddresses, NodeProblems, NodeStateLabel, whileInView } from './node-state.tsx'
import classes from './nodes-screen.module.css'
import { PortsCard } from './ports-card.tsx'

/** One machine: how it is, what it can do, which servers it has, and how it is reached. */
export function NodeScreen() {
  const text = useText()
  const { id = '' } = useParams()
  const mayEdit = useMay('nodes.edit')
  const mayDeploy = useMay('nodes.deploy')
  const [search, setSearch] = useSearchParams()
  const node = useVersionedCall(getNode, { params: { id } }, whileInView)
  const isLate = useIsLate(node.isPending)
  const again = () => void node.refetch()
  const isDeploying = search.has('deploy')

  if (isRefusal(node.error, 'ErrNotFound', 'ErrFieldInvalid')) return <NobodyThere />
  if (!node.data) {
    return (
      <Page kind="form">
        <PageHead title={text('nodes.Title')} />
        {node.error ? (
          <Card>
            <LoadFailure title={text('nodes.OneLoadFailed')} error={node.error} again={again} />
          </Card>
        ) : (
          isLate && <Skeleton h={320} radius="lg" aria-label={text('common.Loading')} />
        )}
      </Page>
    )
  }
  const { answer, version } = node.data
  const { isLocal, name, health } = answer
  return (
    <Page kind="form">
      <PageHead
        title={name}
        actions={
          mayDeploy &&
          !isLocal && (
            <Button
              variant="default"
              leftSection={<IconRocket size={17} aria-hidden />}
              onClick={() => setSearch({ deploy: '' })}
            >
              {text('nodes.Deploy')}
            </Button>
          )
        }
      />
      <Card className={classes.part ?? ''}>
        <div className={classes.title}>
          <NodeStateLabel health={health} />
          <span className={classes.quiet}>
            <LastHeard health={health} />
          </span>
        </div>
        <NodeProblems node={answer} />
        <NodeAddresses node={answer} />
        {isLocal && <p className={classes.quiet}>{text('nodes.LocalWhy')}</p>}
      </Card>
      {health?.machine && <MachineCard node={answer} />}
      <ServersCard node={answer.id} />
      <PortsCard key={`ports-${answer.id}`} node={answer.id} mayEdit={mayEdit} />
      {mayEdit && !isLocal && (
        <SettingsCard key={answer.id} node={answer} version={version} reload={() => refetched(node)} />
      )}
      {isDeploying && mayDeploy && !isLocal && <DeployDrawer node={answer} onClose={() => setSearch({})} />}
    </Page>
  )
}

function MachineCard({ node }: { node: Node }) {
  const text = useText()
  const { bytes, percent } = useFormats()
  const { machine, features } = node.health ?? {}
  if (!machine) return null
  const share = ({ used, total }: { used: number; total: number }) =>
    text('nodes.UsedOf', { used: bytes(used), total: bytes(total) })
  const facts = {
    System: features && `${features.os} ${features.arch}`,
    Version: features?.version,
    Cpu: text('nodes.CpuValue', { used: percent(machine.cpu.used), count: machine.cpu.cores }),
    Memory: share(machine.memory),
    Disk: share(machine.disk),
    Environments: features?.environments.join(', '),
  }
  return (
    <Card className={classes.part ?? ''}>
      <h2>{text('nodes.Machine')}</h2>
      <dl className={classes.facts}>
        {Object.entries(facts).map(([name, value]) => (
          <div key={name}>
            <dt>{text(`nodes.${name}`)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>{text('nodes.Started')}</dt>
          <dd>
            <Moment at={machine.startedAt} />
          </dd>
        </div>
      </dl>
      <IsolationList isolation={features?.isolation} />
    </Card>
  )
}

/** So many are shown; the servers list has them all. */
const serversShown = 50

function ServersCard({ node }: { node: number }) {
  const text = useText()
  const servers = useCall(listServers, { query: { node, limit: serversShown } })
  if (!servers.data || servers.data.servers.length === 0) return null
  return (
    <Card className={classes.part ?? ''}>
      <h2>{text('nodes.Servers')}</h2>
      <ul className={classes.names}>
        {servers.data.servers.map(({ id, name }) => (
          <li key={id}>
            <Link to={`/server/${id}`}>{name}</Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

interface SettingsCardProps {
  readonly node: Node
  readonly version: string | undefined
  readonly reload: () => Promise<VersionedAnswer<Node>>
}

function SettingsCard({ node, version, reload }: SettingsCardProps) {
  const text = useText()
  const tell = useTellRefusal()
  const confirm = useConfirm()
  const goTo = useNavigate()
  const mayDeleteServers = useMay('servers.delete')
  const edit = useSend(editNode, { quiet: true, refreshes: [listNodes, getNode] })
  const remove = useSend(deleteNode, { quiet: true, refreshes: [listNodes] })
  const params = { id: node.id }
  const form = useSaveForm<NodeDraft>({
    ...nodeFormOptions(text),
    id: `node-${node.id}`,
    saved: { values: draftOf(node), version },
    reload: async () => {
      const latest = await reload()
      return { values: draftOf(latest.answer), version: latest.version }
    },
    send: ({ values, version: seen }) => edit.send({ params, body: bodyOf(values) }, ifMatch(seen)),
    onSaved: () => toast.success(text('nodes.Updated')),
    failure: text('nodes.UpdateFailed'),
  })

  /** Deletes the node. While it has servers, offers to delete these from the panel too. Returns whether it is deleted. */
  const deleteNow = async (force: boolean): Promise<boolean> => {
    try {
      await remove.send({ params, query: force ? { force: 'true' } : {} })
      return true
    } catch (error) {
      const servers = isRefusal(error, 'ErrNodeHasServers') ? String(error.metadata.servers) : undefined
      if (servers === undefined) tell(error)
      else if (mayDeleteServers) return (await confirmForce(servers)) && (await deleteNow(true))
      else toast.error(text('nodes.HasServers', { servers }))
      return false
    }
  }
  const confirmForce = (servers: string) =>
    confirm({
      title: text('nodes.ForceTitle', { name: node.name }),
      body: text('nodes.ForceBody', { servers }),
      action: text('nodes.Force'),
      danger: true,
      typeToConfirm: node.name,
    })
  const askAndDelete = async () => {
    const isWanted = await confirm({
      title: text('nodes.DeleteTitle', { name: node.name }),
      body: text('nodes.DeleteBody'),
      action: text('nodes.Delete'),
      danger: true,
      typeToConfirm: node.name,
    })
    if (!isWanted) return
    if (!(await deleteNow(false))) return
    // Nothing of it can be saved any more.
    form.discard()
    toast.success(text('nodes.Deleted', { name: node.name }))
    await goTo('/node')
  }
  return (
    <SaveForm form={form} aria-label={text('nodes.Settings')}>
      <Card className={classes.part ?? ''}>
        <h2>{text('nodes.Settings')}</h2>
        <NodeInputs form={form} />
        <div className={classes.foot}>
          <Button
            variant="default"
            c="var(--ik-offline)"
            leftSection={<IconTrash size={17} aria-hidden />}
            loading={remove.pending}
            onClick={() => void askAndDelete()}
          >
            {text('nodes.Delete')}
          </Button>
        </div>
      </Card>
      <SaveBar form={form} />
    </SaveForm>
  )
}

function NobodyThere() {
  const text = useText()
  return (
    <Page kind="form">
      <PageHead title={text('nodes.Title')} />
      <Card>
        <EmptyState
          icon={<IconServerOff size={24} stroke={1.6} aria-hidden />}
          title={text('nodes.Nobody')}
          actions={
            <Button component={Link} to="/node" variant="default">
              {text('nodes.ToList')}
            </Button>
          }
        />
      </Card>
    </Page>
  )
}
