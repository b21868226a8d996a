import {
  IconAdjustments,
  IconArchive,
  IconCalendarTime,
  IconChartLine,
  IconFolder,
  IconShieldLock,
  IconTerminal2,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react'
import type { TranslationKey } from '../../i18n/translation-key.ts'
import type { Can } from './permissions.ts'

/** The tabs of a server, in their order. */
export const tabs = ['console', 'stats', 'files', 'backups', 'tasks', 'settings', 'users', 'admin'] as const
export type Tab = (typeof tabs)[number]

interface TabDisplay {
  readonly label: TranslationKey
  readonly Icon: TablerIcon
  /** The keys of its shortcut. */
  readonly keys: string
}

export const tabDisplays: Readonly<Record<Tab, TabDisplay>> = {
  console: { label: 'server.TabConsole', Icon: IconTerminal2, keys: 't c' },
  stats: { label: 'server.TabStats', Icon: IconChartLine, keys: 't i' },
  files: { label: 'server.TabFiles', Icon: IconFolder, keys: 't f' },
  backups: { label: 'server.TabBackups', Icon: IconArchive, keys: 't b' },
  tasks: { label: 'server.TabTasks', Icon: IconCalendarTime, keys: 't t' },
  settings: { label: 'server.TabSettings', Icon: IconAdjustments, keys: 't s' },
  users: { label: 'server.TabUsers', Icon: IconUsers, keys: 't u' },
  admin: { label: 'server.TabAdmin', Icon: IconShieldLock, keys: 't a' },
}

export function getPermittedTabs(can: Can): readonly Tab[] {
  const isPermitted: Readonly<Record<Tab, boolean>> = {
    console: can('viewServerConsole'),
    stats: can('viewServerStats'),
    files: can('viewServerFiles') || can('sftpServer'),
    backups: can('viewServerBackups'),
    tasks: can('editServerData'),
    settings: can('editServerData'),
    users: can('editServerUsers'),
    // Every user manages their own OAuth2 clients there.
    admin: true,
  }
  return tabs.filter((tab) => isPermitted[tab])
}

/** How many tabs fit into the bottom bar of a phone. */
const maxBarTabs = 5

/** Splits the tabs of a phone into those in the bar and those in its menu: Backups, Tasks and the last ones. */
export function splitTabs(permitted: readonly Tab[]): {
  readonly bar: readonly Tab[]
  readonly overflow: readonly Tab[]
} {
  if (permitted.length <= maxBarTabs) return { bar: permitted, overflow: [] }
  const bar: readonly Tab[] = permitted.filter((tab) => tab !== 'backups' && tab !== 'tasks').slice(0, maxBarTabs - 1)
  return { bar, overflow: permitted.filter((tab) => !bar.includes(tab)) }
}

/** The tab of the search param `tab` if the user has no permission for it. */
export function getForbiddenTab(param: string | null, permitted: readonly Tab[]): Tab | undefined {
  return tabs.find((tab) => tab === param && !permitted.includes(tab))
}

/** The tab of the search param `tab`; by default the first permitted one. */
export function getCurrentTab(param: string | null, permitted: readonly Tab[]): Tab | undefined {
  return permitted.find((tab) => tab === param) ?? permitted[0]
}
