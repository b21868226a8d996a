import type { Backup } from '@innkeeper/contract/backups/backups'
import { permissionOfPlayerAction } from '@innkeeper/contract/definitions/player-actions'
import type { ServerDetail } from '@innkeeper/contract/servers/servers'
import {
  IconAdjustments,
  IconArchive,
  IconCalendarTime,
  IconChartLine,
  IconDeviceGamepad2,
  IconFolder,
  IconShieldLock,
  IconTerminal2,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { TranslationKey } from '../../i18n/i18n.tsx'
import { useServerStats } from '../../realtime/use-server-connection.ts'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { ConsoleTab } from './console-tab.tsx'
import type { Can } from './permissions.ts'
import type { LivePage } from './use-live-page.ts'

const StatsPanel = lazyView(async () => (await import('../../features/stats/stats-panel.tsx')).StatsPanel)
const PlayersPanel = lazyView(async () => (await import('../../features/players/players-panel.tsx')).PlayersPanel)
const FilesTab = lazyView(async () => (await import('./files-tab.tsx')).FilesTab)
const BackupsPanel = lazyView(async () => (await import('../../features/backups/backups-panel.tsx')).BackupsPanel)
const TasksTab = lazyView(async () => (await import('./tasks-tab.tsx')).TasksTab)
const ServerSettings = lazyView(
  async () => (await import('../../features/server-settings/settings-form.tsx')).ServerSettings,
)
const ExtraPortsCard = lazyView(
  async () => (await import('../../features/server-settings/extra-ports-card.tsx')).ExtraPortsCard,
)
const DnsNameCard = lazyView(async () => (await import('../../features/server-settings/dns-name-card.tsx')).DnsNameCard)
const ServerUsers = lazyView(async () => (await import('../../features/server-users/server-users.tsx')).ServerUsers)
const AdminTab = lazyView(async () => (await import('./admin-tab.tsx')).AdminTab)

/** What the page of a server knows, for its tabs. */
export interface TabContentProps extends LivePage {
  readonly server: ServerDetail
  readonly can: Can
  /** Clones the server, as it is now or from a backup. Absent without permission. */
  readonly onClone: ((backup?: Backup) => void) | undefined
}

interface ServerTab {
  readonly label: TranslationKey
  readonly Icon: TablerIcon
  /** The keys of its shortcut. */
  readonly keys: string
  readonly isPermitted: (can: Can) => boolean
  readonly Content: ComponentType<TabContentProps>
}

/** The tabs of a server, in their order. */
export const tabNames = [
  'console',
  'stats',
  'players',
  'files',
  'backups',
  'tasks',
  'settings',
  'users',
  'admin',
] as const
export type Tab = (typeof tabNames)[number]

export const tabs: Readonly<Record<Tab, ServerTab>> = {
  console: {
    label: 'server.TabConsole',
    Icon: IconTerminal2,
    keys: 't c',
    isPermitted: (can) => can('viewServerConsole'),
    Content: ConsoleTab,
  },
  stats: {
    label: 'server.TabStats',
    Icon: IconChartLine,
    keys: 't i',
    isPermitted: (can) => can('viewServerStats'),
    Content: StatsTab,
  },
  players: {
    label: 'common.Players',
    Icon: IconDeviceGamepad2,
    keys: 't p',
    isPermitted: (can) => can('viewServerPlayers') || Object.values(permissionOfPlayerAction).some(can),
    Content: ({ server, can, state }) => (
      <PlayersPanel
        server={server.id}
        can={can}
        isOffline={state.status?.running === false && !state.status.sleeping}
      />
    ),
  },
  files: {
    label: 'server.TabFiles',
    Icon: IconFolder,
    keys: 't f',
    isPermitted: (can) => can('viewServerFiles') || can('sftpServer'),
    Content: FilesTab,
  },
  backups: {
    label: 'server.TabBackups',
    Icon: IconArchive,
    keys: 't b',
    isPermitted: (can) => can('viewServerBackups'),
    Content: ({ server, can, onClone }) => <BackupsPanel server={server.id} can={can} {...(onClone && { onClone })} />,
  },
  tasks: {
    label: 'server.TabTasks',
    Icon: IconCalendarTime,
    keys: 't t',
    isPermitted: (can) => can('editServerData'),
    Content: ({ server, can }) => <TasksTab server={server.id} can={can} />,
  },
  settings: {
    label: 'server.TabSettings',
    Icon: IconAdjustments,
    keys: 't s',
    isPermitted: (can) => can('editServerData'),
    Content: ({ server, can }) => (
      <>
        <ServerSettings
          id={server.id}
          isAdmin={can('admin')}
          template={server.template?.display ?? server.template?.name}
        />
        <ExtraPortsCard server={server} />
        <DnsNameCard server={server} />
      </>
    ),
  },
  users: {
    label: 'server.TabUsers',
    Icon: IconUsers,
    keys: 't u',
    isPermitted: (can) => can('editServerUsers'),
    Content: ServerUsers,
  },
  admin: {
    label: 'server.TabAdmin',
    Icon: IconShieldLock,
    keys: 't a',
    // Every user manages their own OAuth2 clients there.
    isPermitted: () => true,
    Content: AdminTab,
  },
}

function StatsTab({ server, stats, state }: TabContentProps) {
  return (
    <StatsPanel
      server={server.id}
      history={useServerStats(stats)}
      isLive={state.connection.status === 'open'}
      isOffline={state.status?.running === false}
    />
  )
}

export function getPermittedTabs(can: Can): readonly Tab[] {
  return tabNames.filter((tab) => tabs[tab].isPermitted(can))
}

/** How many tabs fit into the bottom bar of a phone. */
const maxBarTabs = 5

/** The tabs of a phone that are in its menu when there are too many for the bar, beside the last ones. */
const menuTabs: readonly Tab[] = ['players', 'backups', 'tasks']

/** Splits the tabs of a phone into those in the bar and those in its menu. */
export function splitTabs(permitted: readonly Tab[]): {
  readonly bar: readonly Tab[]
  readonly overflow: readonly Tab[]
} {
  if (permitted.length <= maxBarTabs) return { bar: permitted, overflow: [] }
  const bar: readonly Tab[] = permitted.filter((tab) => !menuTabs.includes(tab)).slice(0, maxBarTabs - 1)
  return { bar, overflow: permitted.filter((tab) => !bar.includes(tab)) }
}

/** The tab of the search param `tab` if the user has no permission for it. */
export function getForbiddenTab(param: string | null, permitted: readonly Tab[]): Tab | undefined {
  return tabNames.find((tab) => tab === param && !permitted.includes(tab))
}

/** The tab of the search param `tab`; by default the first permitted one. */
export function getCurrentTab(param: string | null, permitted: readonly Tab[]): Tab | undefined {
  return permitted.find((tab) => tab === param) ?? permitted[0]
}
