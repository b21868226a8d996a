import type { PanelScope } from '@innkeeper/contract/api/permissions'
import {
  IconActivity,
  IconLayoutDashboard,
  IconServer2,
  IconSettings,
  IconSitemap,
  IconTemplate,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react'
import type { TranslationKey } from '../i18n/i18n.tsx'

/** A page in the navigation, the bottom bar, the palette and the key sequences. */
export interface NavItem {
  readonly path: string
  readonly label: TranslationKey
  readonly keys?: string
  readonly scope: PanelScope
  readonly Icon: TablerIcon
  /** Pages that belong to it, but have paths of their own. */
  readonly aliases?: readonly string[]
  /** Not in the bottom bar of a phone, which has no room for it, but in the drawer. */
  readonly desktopOnly?: boolean
}

/** The pages of the panel in the order of the navigation. Pages without permission are not shown. */
export const navItems: readonly NavItem[] = [
  {
    path: '/overview',
    label: 'overview.Title',
    keys: 'g o',
    scope: 'servers.view',
    Icon: IconLayoutDashboard,
    desktopOnly: true,
  },
  {
    path: '/server',
    label: 'shell.Servers',
    keys: 'g s',
    scope: 'servers.view',
    Icon: IconServer2,
    aliases: ['/addserver'],
  },
  { path: '/node', label: 'shell.Nodes', keys: 'g n', scope: 'nodes.view', Icon: IconSitemap, aliases: ['/addnode'] },
  {
    path: '/template',
    label: 'shell.Templates',
    keys: 'g t',
    scope: 'templates.view',
    Icon: IconTemplate,
    aliases: ['/addtemplate', '/importtemplates'],
  },
  { path: '/user', label: 'shell.Users', keys: 'g u', scope: 'users.view', Icon: IconUsers, aliases: ['/adduser'] },
  {
    path: '/settings',
    label: 'shell.Settings',
    keys: 'g c',
    scope: 'panel.settings',
    Icon: IconSettings,
    desktopOnly: true,
  },
  {
    path: '/activity',
    label: 'activity.Title',
    scope: 'servers.admin',
    Icon: IconActivity,
    desktopOnly: true,
  },
]

/** Whether a path is the page's, one of its aliases, or below one of them. */
export function isActive(item: Pick<NavItem, 'path' | 'aliases'>, pathname: string): boolean {
  return [item.path, ...(item.aliases ?? [])].some((path) => pathname === path || pathname.startsWith(`${path}/`))
}
