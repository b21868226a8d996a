import { reloadServer } from '@innkeeper/contract/node-servers'
import { deleteServer, listServers, type ServerView } from '@innkeeper/contract/servers'
import { Button, Paper, Switch } from '@mantine/core'
import { IconBraces, IconRefresh, IconTrash } from '@tabler/icons-react'
import { type ReactNode, Suspense, use, useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { ShowErrorContext, useApiMutation } from '../../api/use-api-mutation.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { toast, useShowError } from '../../ui/toast.tsx'
import { useWhenIdle } from '../../ui/use-idle.ts'
import { useKeyCapture } from '../../ui/use-key-capture.ts'
import { withPart } from '../definition-editor/raw.ts'
import type { Versioned } from '../definition-editor/versioned-editor.tsx'
import { LimitsCard } from './limits-card.tsx'
import classes from './server-admin.module.css'
import { useDefinition, useWriteDefinition } from './use-definition.ts'

const loadEditor = () => import('./definition-editor.tsx')
const ServerDefinitionEditor = lazyView(async () => (await loadEditor()).ServerDefinitionEditor)

interface AdminPanelProps {
  readonly server: ServerView
  readonly isAdmin: boolean
  readonly mayDelete: boolean
}

/** What only administrators, or people who may delete, do with a server. */
export function AdminPanel({ server, isAdmin, mayDelete }: AdminPanelProps) {
  const t = useT()
  return (
    <div className={classes.grid}>
      {isAdmin && <StartAndRecovery id={server.id} />}
      {isAdmin && <LimitsCard server={server} />}
      <Paper>
        <div className={classes.head}>
          <h2>{t('server.AdminDefinition')}</h2>
        </div>
        {isAdmin && <EditDefinition server={server} />}
        {isAdmin && <ReloadFromDisk id={server.id} />}
        {mayDelete && <DeleteServer server={server} />}
      </Paper>
    </div>
  )
}

const flags = [
  { flag: 'autostart', title: 'server.AdminAutostart', about: 'server.AdminAutostartAbout' },
  { flag: 'autorestart', title: 'server.AdminAutorestart', about: 'server.AdminAutorestartAbout' },
  { flag: 'autorecover', title: 'server.AdminAutorecover', about: 'server.AdminAutorecoverAbout' },
] as const
type Flag = (typeof flags)[number]['flag']

function StartAndRecovery({ id }: { id: string }) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const definition = useDefinition(id)
  const { change } = useWriteDefinition(id)
  const [changing, setChanging] = useState<{ flag: Flag; to: boolean }>()
  const label = useId()

  const toggle = async (flag: Flag, to: boolean) => {
    setChanging({ flag, to })
    try {
      await change((now) => withPart(now, ['run', flag], to))
    } catch (refusal) {
      tell(refusal)
    } finally {
      setChanging(undefined)
    }
  }
  if (definition.isError) {
    return (
      <Paper>
        <QueryError
          title={t('server.AdminNotLoaded')}
          error={definition.error}
          retry={() => void definition.refetch()}
        />
      </Paper>
    )
  }
  return (
    <Paper>
      <div className={classes.head}>
        <h2>{t('server.AdminStartAndRecovery')}</h2>
      </div>
      {flags.map(({ flag, title, about }) => (
        <Row key={flag} id={`${label}-${flag}-title`} of={`${label}-${flag}`} title={t(title)} about={t(about)}>
          <Switch
            id={`${label}-${flag}`}
            aria-describedby={`${label}-${flag}-title-about`}
            disabled={definition.isPending || changing !== undefined}
            checked={changing?.flag === flag ? changing.to : definition.data?.definition.run[flag] === true}
            onChange={(event) => void toggle(flag, event.currentTarget.checked)}
          />
        </Row>
      ))}
    </Paper>
  )
}

function EditDefinition({ server }: { server: ServerView }) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const definition = useDefinition(server.id)
  const [opened, setOpened] = useState<Versioned>()
  const [isOpening, setIsOpening] = useState(false)
  const label = useId()
  const keyCapture = useKeyCapture()
  useWhenIdle(loadEditor)

  const fresh = async () => {
    const { data, error } = await definition.refetch()
    if (!data) throw error
    return data
  }
  const open = async () => {
    let isCancelled = false
    const cancel = () => {
      isCancelled = true
      setOpened(undefined)
    }
    keyCapture.begin({ onEscape: cancel })
    setIsOpening(true)
    try {
      const latest = await fresh()
      if (!isCancelled) setOpened(latest)
    } catch (refusal) {
      keyCapture.end()
      tell(refusal)
    } finally {
      setIsOpening(false)
    }
  }
  return (
    <Row id={label} title={t('server.AdminEditDefinition')} about={t('server.AdminEditAbout')}>
      <Button
        size="xs"
        variant="default"
        loading={isOpening}
        aria-describedby={label}
        leftSection={<IconBraces size={16} aria-hidden />}
        onClick={() => void open()}
      >
        {t('server.AdminEdit')}
      </Button>
      {opened && (
        <Suspense fallback={null}>
          <ServerDefinitionEditor
            id={server.id}
            name={server.name}
            opened={opened}
            onReload={fresh}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </Row>
  )
}

function ReloadFromDisk({ id }: { id: string }) {
  const t = useT()
  const reload = useApiMutation(reloadServer)
  const definition = useDefinition(id)
  const label = useId()

  const run = async () => {
    try {
      await reload.mutateAsync({ params: { id } })
      toast.success(t('server.AdminReloaded'))
      await definition.refetch()
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <Row id={label} title={t('server.AdminReloadTitle')} about={t('server.AdminReloadAbout')}>
      <Button
        size="xs"
        variant="default"
        loading={reload.isPending}
        aria-describedby={label}
        leftSection={<IconRefresh size={16} aria-hidden />}
        onClick={() => void run()}
      >
        {t('server.Reload')}
      </Button>
    </Row>
  )
}

function DeleteServer({ server }: { server: ServerView }) {
  const t = useT()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const tell = useShowError()
  const mayForce = useCan('servers.delete')
  const remove = useApiMutation(deleteServer, { silent: true, invalidates: [listServers] })
  const label = useId()
  const names = { name: server.name, node: server.node.name }

  /** Deletes the server. While its node does not answer, offers to delete it without. Returns whether it is deleted. */
  const deleteNow = async (force: boolean): Promise<boolean> => {
    try {
      await remove.mutateAsync({ params: { id: server.id }, query: force ? { force: 'true' } : {} })
      return true
    } catch (error) {
      const isAway = isRefusal(error, 'ErrServiceNotAvailable')
      if (isAway && mayForce && !force) return (await confirmForce()) && (await deleteNow(true))
      tell(error)
      return false
    }
  }
  const confirmForce = () =>
    confirm({
      title: t('server.AdminForceTitle', names),
      body: t('server.AdminForceBody', names),
      action: t('server.AdminForce'),
      danger: true,
      typeToConfirm: server.name,
    })
  const run = async () => {
    const wanted = await confirm({
      title: t('server.AdminDeleteQuestion', names),
      body: t('server.AdminDeleteBody', names),
      action: t('server.AdminDeleteTitle'),
      danger: true,
      typeToConfirm: server.name,
    })
    if (!wanted || !(await deleteNow(false))) return
    toast.success(t('server.AdminDeleted'))
    await navigate('/server')
  }
  return (
    <Row id={label} title={t('server.AdminDeleteTitle')} about={t('server.AdminDeleteAbout')} isDangerous>
      <Button
        size="xs"
        variant="default"
        className={classes.danger}
        loading={remove.isPending}
        aria-describedby={label}
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => void run()}
      >
        {t('common.Delete')}
      </Button>
    </Row>
  )
}

interface RowProps {
  readonly id: string
  /** The field that the title names, for a row that holds one. */
  readonly of?: string
  readonly title: string
  readonly about: string
  readonly isDangerous?: boolean
  readonly children: ReactNode
}

function Row({ id, of, title, about, isDangerous = false, children }: RowProps) {
  return (
    <div className={classes.row}>
      <div className={classes.what}>
        <b id={id} className={isDangerous ? classes.danger : undefined}>
          {of === undefined ? title : <label htmlFor={of}>{title}</label>}
        </b>
        <p id={`${id}-about`}>{about}</p>
      </div>
      {children}
    </div>
  )
}
