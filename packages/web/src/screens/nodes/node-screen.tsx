import { deleteNode, editNode, getNode, listNodes, type Node } from '@innkeeper/contract/nodes'
import { listServers } from '@innkeeper/contract/servers'
import { Button, Skeleton } from '@mantine/core'
import { IconRocket, IconServerOff, IconTrash } from '@tabler/icons-react'
import { type FormEvent, use, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useCall } from '../../api/use-call.ts'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { useCombination } from '../../hotkeys/hotkeys.tsx'
import { useFormats, useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { useLeaveGuard } from '../../ui/leave-guard.ts'
import { Moment } from '../../ui/moment.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { isUnexplained } from '../../ui/refusal.tsx'
import { Card, SaveBar } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import { DeployDrawer } from './deploy-drawer.tsx'
import { IsolationList } from './isolation-list.tsx'
import { bodyOf, draftOf, type NodeDraft, NodeInputs, useNodeProblems } from './node-form.tsx'
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
  const node = useCall(getNode, { params: { id } }, whileInView)
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
  const { isLocal, name, health } = node.data
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
        <NodeProblems node={node.data} />
        <NodeAddresses node={node.data} />
        {isLocal && <p className={classes.quiet}>{text('nodes.LocalWhy')}</p>}
      </Card>
      {health?.machine && <MachineCard node={node.data} />}
      <ServersCard node={node.data.id} />
      <PortsCard node={node.data.id} mayEdit={mayEdit} />
      {mayEdit && !isLocal && <SettingsCard key={JSON.stringify(draftOf(node.data))} node={node.data} />}
      {isDeploying && mayDeploy && !isLocal && <DeployDrawer node={node.data} onClose={() => setSearch({})} />}
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

function SettingsCard({ node }: { node: Node }) {
  const text = useText()
  const tell = use(TellRefusalContext)
  const confirm = useConfirm()
  const goTo = useNavigate()
  const form = useRef<HTMLFormElement>(null)
  const saved = draftOf(node)
  const [draft, setDraft] = useState<NodeDraft>(saved)
  const [isDeleted, setIsDeleted] = useState(false)
  const check = useNodeProblems(form)
  const edit = useSend(editNode, { quiet: true, refreshes: [listNodes, getNode] })
  const remove = useSend(deleteNode, { quiet: true, refreshes: [listNodes] })
  const params = { id: node.id }
  const changes = Object.keys(saved).filter(
    (name) => draft[name as keyof NodeDraft] !== saved[name as keyof NodeDraft],
  ).length

  const save = async () => {
    if (changes === 0 || edit.pending || !check.accepts(draft)) return
    try {
      await edit.send({ params, body: bodyOf(draft) })
      toast.success(text('nodes.Updated'))
    } catch (error) {
      if (check.take(error)) return
      if (isUnexplained(error)) toast.error(text('nodes.UpdateFailed'))
      else tell(error)
    }
  }
  useCombination('$mod+s', () => void save())
  useLeaveGuard(changes > 0 && !isDeleted)

  const askAndDelete = async () => {
    const isWanted = await confirm({
      title: text('nodes.DeleteTitle', { name: node.name }),
      body: text('nodes.DeleteBody'),
      action: text('nodes.Delete'),
      danger: true,
      typeToConfirm: node.name,
    })
    if (!isWanted) return
    try {
      await remove.send({ params })
    } catch (error) {
      const servers = isRefusal(error, 'ErrNodeHasServers') ? String(error.metadata.servers) : undefined
      if (servers === undefined) tell(error)
      else toast.error(text('nodes.HasServers', { servers }))
      return
    }
    flushSync(() => setIsDeleted(true))
    toast.success(text('nodes.Deleted', { name: node.name }))
    await goTo('/node')
  }
  return (
    <form
      ref={form}
      noValidate
      aria-label={text('nodes.Settings')}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        void save()
      }}
    >
      <Card className={classes.part ?? ''}>
        <h2>{text('nodes.Settings')}</h2>
        <NodeInputs draft={draft} onChange={setDraft} check={check} />
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
      {/* Enter in a field saves. */}
      <button type="submit" hidden />
      <SaveBar changes={changes} saving={edit.pending} onDiscard={() => setDraft(saved)} onSave={() => void save()} />
    </form>
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
