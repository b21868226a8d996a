import type { Backup } from '@innkeeper/contract/backups'
import { limits } from '@innkeeper/contract/limits'
import { getServer, type ServerDetail } from '@innkeeper/contract/servers'
import type { ServerStatus } from '@innkeeper/contract/status'
import { Paper, Skeleton, Stack, Tabs } from '@mantine/core'
import { IconServerOff } from '@tabler/icons-react'
import { Activity, type ComponentProps, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react'
import { useParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { ConsoleBuffer } from '../../features/console/buffer.ts'
import { PowerRow } from '../../features/power/power-buttons.tsx'
import { usePower } from '../../features/power/use-power.ts'
import { UnsavedChangesScope } from '../../forms/unsaved-changes.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { combineSinks, RawOutput } from '../../realtime/raw-output.ts'
import { type StatsStore, useServerConnection, useServerStats } from '../../realtime/use-server-connection.ts'
import { useCan, useSession } from '../../session/session.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { Page, PageHeader, useDocumentTitle, useIsPhone } from '../../ui/page.tsx'
import { PageScope } from '../../ui/page-scope.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { ConsoleTab } from './console-tab.tsx'
import { NoTabPermission } from './no-tab-permission.tsx'
import { type Can, createCan } from './permissions.ts'
import { RenameDialog } from './rename-dialog.tsx'
import classes from './server.module.css'
import { ServerAlerts } from './server-alerts.tsx'
import { ServerHeader, ServerPhoneHeader } from './server-header.tsx'
import { TabBar, TabList } from './server-tabs.tsx'
import { type Tab, tabDisplays } from './tabs.ts'
import { useTab } from './use-tab.ts'
import { useTabNotices } from './use-tab-notices.ts'

const StatsPanel = lazyView(async () => (await import('../../features/stats/stats-panel.tsx')).StatsPanel)
const FilesTab = lazyView(async () => (await import('./files-tab.tsx')).FilesTab)
const BackupsPanel = lazyView(async () => (await import('../../features/backups/backups-panel.tsx')).BackupsPanel)
const TasksTab = lazyView(async () => (await import('./tasks-tab.tsx')).TasksTab)
const ServerSettings = lazyView(
  async () => (await import('../../features/server-settings/settings-form.tsx')).ServerSettings,
)
const ServerUsers = lazyView(async () => (await import('../../features/server-users/server-users.tsx')).ServerUsers)
const ServerClients = lazyView(async () => (await import('../../features/oauth-clients/clients.tsx')).ServerClients)
const ServerActivity = lazyView(
  async () => (await import('../../features/activity/server-activity.tsx')).ServerActivity,
)
const AlertsCard = lazyView(async () => (await import('../../features/alerts/alerts-card.tsx')).AlertsCard)
const CloneCard = lazyView(async () => (await import('../../features/clone/clone-card.tsx')).CloneCard)
const CloneDialog = lazyView(async () => (await import('../../features/clone/clone-dialog.tsx')).CloneDialog)
const FailedClones = lazyView(async () => (await import('../../features/clone/failed-clones.tsx')).FailedClones)
const DeleteServer = lazyView(async () => (await import('../../features/server-admin/delete-server.tsx')).DeleteServer)
const AdminPanel = lazyView(async () => (await import('../../features/server-admin/admin-panel.tsx')).AdminPanel)

/** Name and node of the server can change too. */
const livePollMs = 60_000

/** The page of one server. */
export function ServerScreen() {
  const t = useT()
  const { id = '' } = useParams()
  const { scopes } = useSession()
  const [isLive, setIsLive] = useState(false)
  // Permissions can be granted and revoked while the page is open. An open socket says so; without one they are polled.
  const query = useApiQuery(
    getServer,
    { params: { id }, query: { perms: '' } },
    { refetchInterval: isLive ? livePollMs : limits.socketRecheckMs, meta: { quiet: true } },
  )
  const permissions = query.data?.permissions ?? null
  const can = useMemo(() => createCan(scopes, permissions), [scopes, permissions])

  if (!query.data && isRefusal(query.error, 'ErrNotFound', 'ErrServerNotFound', 'ErrFieldInvalid')) {
    return <ServerNotFound />
  }
  return (
    <Page type="workspace" flush>
      <QueryState inCard query={query} errorTitle={t('server.NotLoaded')} skeleton={<ServerSkeleton />}>
        {({ server }) => (
          <ServerPage
            key={id}
            server={server}
            can={can}
            onLive={setIsLive}
            onPermissions={() => void query.refetch()}
          />
        )}
      </QueryState>
    </Page>
  )
}

interface ServerPageProps {
  readonly server: ServerDetail
  readonly can: Can
  /** Whether the socket is open. */
  readonly onLive: (isLive: boolean) => void
  /** The permissions may be others than `can` says. */
  readonly onPermissions: () => void
}

function ServerPage({ server, can, onLive, onPermissions }: ServerPageProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const [buffer] = useState(() => new ConsoleBuffer())
  const [rawOutput] = useState(() => new RawOutput())
  const [sink] = useState(() => combineSinks([buffer, rawOutput]))
  const { connection, state, stats } = useServerConnection(server.id, sink, can, onPermissions)
  const { status } = state
  const isStopped = status?.running === false
  useEffect(() => {
    if (isStopped) rawOutput.end()
  }, [isStopped, rawOutput])
  const power = usePower({
    server,
    status,
    unreachable: state.unreachable?.host,
    can,
    onSettled: (action, isAccepted) => {
      connection?.refresh()
      if (action === 'install' && isAccepted) showInstall()
    },
  })
  const { tab, forbidden, permitted, isNew, open, clearNew, showInstall } = useTab(can)
  const [isRenaming, setIsRenaming] = useState(false)
  const canCreateServers = useCan('servers.create')
  const canClone = canCreateServers && clonePermissions.every(can)
  const [cloning, setCloning] = useState<{ readonly backup?: Backup | undefined }>()
  useDocumentTitle(server.name, tab && tab !== 'console' ? t(tabDisplays[tab].label) : undefined)
  useTabNotices(status)
  const isRevoked = state.connection.status === 'ended' && state.connection.because === 'revoked'
  // biome-ignore lint/correctness/useExhaustiveDependencies: called once per revocation
  useEffect(() => {
    if (isRevoked) onPermissions()
  }, [isRevoked])
  const isLive = state.connection.status === 'open'
  // biome-ignore lint/correctness/useExhaustiveDependencies: called when the socket opens and closes
  useEffect(() => {
    onLive(isLive)
    // The socket has the permissions of this moment, and reports only what changes later.
    if (isLive) onPermissions()
    return () => onLive(false)
  }, [isLive])
  // The server is no longer new as soon as it was started or installed, by whomever.
  const hasRun = status !== undefined && hasEverRun(status)
  useEffect(() => {
    if (isNew && hasRun) clearNew()
  }, [isNew, hasRun, clearNew])

  const header = { server, power, status, canRename: can('editServerData'), onRename: () => setIsRenaming(true) }
  const hasPowerRow = isPhone && tab === 'console'

  return (
    <>
      {isPhone ? (
        <ServerPhoneHeader {...header} hasPowerRow={hasPowerRow} stats={can('viewServerStats') ? stats : undefined} />
      ) : (
        <ServerHeader {...header} />
      )}
      <ServerAlerts
        server={server.id}
        can={can}
        node={server.node}
        state={state}
        buffer={buffer}
        power={power}
        isNew={isNew && !hasRun}
        onOpenConsole={permitted.includes('console') && tab !== 'console' ? () => open('console') : undefined}
        onReconnect={() => connection?.reconnect()}
      />
      {canClone && (
        <Suspense fallback={null}>
          <FailedClones source={server.id} />
        </Suspense>
      )}
      {/* The page lays out the list and the panels. The panels hide their content themselves: see TabPanel. */}
      <Tabs
        display="contents"
        keepMountedMode="display-none"
        value={tab ?? null}
        onChange={(next) => next && open(next as Tab)}
      >
        {!isPhone && <TabList tabs={permitted} />}
        {hasPowerRow && <PowerRow power={power} />}
        {forbidden && <NoTabPermission tab={forbidden} permitted={permitted} onOpen={open} />}
        {permitted.map((tabName) => (
          <TabPanel key={tabName} tab={tabName} isActive={tabName === tab}>
            {tabName === 'console' && (
              <ConsoleTab
                server={server}
                buffer={buffer}
                state={state}
                stats={stats}
                can={can}
                connection={connection}
                rawOutput={rawOutput}
              />
            )}
            {tabName === 'stats' && (
              <StatsTab
                server={server.id}
                stats={stats}
                isLive={state.connection.status === 'open'}
                isOffline={isStopped}
              />
            )}
            {tabName === 'files' && <FilesTab server={server} can={can} />}
            {tabName === 'backups' && (
              <BackupsPanel
                server={server.id}
                can={can}
                {...(canClone && { onClone: (backup?: Backup) => setCloning({ backup }) })}
              />
            )}
            {tabName === 'tasks' && <TasksTab server={server.id} can={can} />}
            {tabName === 'settings' && (
              <ServerSettings
                id={server.id}
                isAdmin={can('admin')}
                template={server.template?.display ?? server.template?.name}
              />
            )}
            {tabName === 'users' && <ServerUsers server={server} can={can} />}
            {tabName === 'admin' && (
              <AdminTab server={server} can={can} {...(canClone && { onClone: () => setCloning({}) })} />
            )}
          </TabPanel>
        ))}
        {isPhone && <TabBar tabs={permitted} current={tab} onChange={open} />}
      </Tabs>
      {cloning && (
        <CloneDialog
          server={server}
          backup={cloning.backup}
          canBackUp={can('createServerBackups')}
          canEditUsers={can('editServerUsers')}
          onClose={() => setCloning(undefined)}
        />
      )}
      {isRenaming && <RenameDialog server={server} onClose={() => setIsRenaming(false)} />}
    </>
  )
}

interface StatsTabProps extends Omit<ComponentProps<typeof StatsPanel>, 'history'> {
  readonly stats: StatsStore
}

function StatsTab({ stats, ...props }: StatsTabProps) {
  return <StatsPanel history={useServerStats(stats)} {...props} />
}

/** The permissions that a clone needs on its source. */
const clonePermissions = ['viewServerBackups', 'viewServerFiles', 'editServerData'] as const

function AdminTab({ server, can, onClone }: { server: ServerDetail; can: Can; onClone?: () => void }) {
  return (
    <Stack gap="md" pb="xl" pt={{ base: can('admin') ? 0 : 'sm', sm: 0 }}>
      {can('admin') && <AdminPanel server={server} />}
      <Stack gap="md" px={{ base: 'sm', sm: 0 }}>
        <ServerClients server={server} />
        {can('editServerData') && <AlertsCard id="alerts" server={server.id} />}
        {can('editServerUsers') && <ServerActivity id={server.id} />}
        {onClone && <CloneCard onClone={onClone} />}
        {(can('admin') || can('deleteServer')) && (
          <DeleteServer server={server} canViewFiles={can('viewServerFiles')} />
        )}
      </Stack>
    </Stack>
  )
}

/** The content of a tab. It is mounted when the tab is first opened and keeps its state while another tab is active. */
function TabPanel({ tab, isActive, children }: { tab: Tab; isActive: boolean; children: ReactNode }) {
  const t = useT()
  const [wasOpened, setWasOpened] = useState(isActive)
  if (isActive && !wasOpened) setWasOpened(true)
  return (
    <Tabs.Panel
      value={tab}
      // On a phone the tab can be in the menu: then no element labels the panel.
      aria-label={t(tabDisplays[tab].label)}
      className={tab === 'console' || tab === 'files' ? classes.workspace : classes.scrolling}
    >
      {wasOpened && (
        <UnsavedChangesScope isShown={isActive}>
          <PageScope>
            <Activity mode={isActive ? 'visible' : 'hidden'}>
              <Suspense fallback={<TabSkeleton />}>{children}</Suspense>
            </Activity>
          </PageScope>
        </UnsavedChangesScope>
      )}
    </Tabs.Panel>
  )
}

/** Stands for a tab whose code is being loaded. */
function TabSkeleton() {
  const t = useT()
  const isVisible = useDelayed(true)
  return (
    <Stack flex={1} gap="md" mih="12rem" p={{ base: 'sm', sm: 0 }} aria-busy="true">
      {isVisible && (
        <>
          <Skeleton h="2.25rem" maw="24rem" role="status" aria-label={t('common.Loading')} />
          <Skeleton h="12rem" />
          <Skeleton h="12rem" />
        </>
      )}
    </Stack>
  )
}

function hasEverRun({ running, installing, lastExit }: ServerStatus): boolean {
  return running || installing || lastExit !== undefined
}

function ServerNotFound() {
  const t = useT()
  return (
    <Page type="form">
      <PageHeader title={t('shell.Servers')} />
      <Paper>
        <EmptyState
          icon={IconServerOff}
          title={t('errors.ErrServerNotFound')}
          link={{ to: '/server', label: t('not-found.GoToServers') }}
        />
      </Paper>
    </Page>
  )
}

function ServerSkeleton() {
  const t = useT()
  return (
    <Stack gap="md" flex={1} p={{ base: 'md', sm: 0 }} role="status" aria-label={t('common.Loading')}>
      <Skeleton h="2.75rem" w="20rem" maw="80%" />
      <Skeleton h="2.375rem" />
      <Skeleton flex={1} />
    </Stack>
  )
}
