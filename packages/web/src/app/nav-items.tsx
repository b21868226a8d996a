import type { PanelScope } from '@innkeeper/contract/permissions'
import { IconServer2, IconSettings, IconSitemap, IconTemplate, IconUsers, type TablerIcon } from '@tabler/icons-react'

/** A page that the drawer, the bottom bar, the palette and a key sequence lead to. */
export interface NavItem {
  readonly path: string
  readonly text: string
  readonly keys: string
  readonly scope: PanelScope
  readonly Icon: TablerIcon
  /** Pages that belong to it without standing below its path. */
  readonly aliases?: readonly string[]
  /** A phone's bottom bar has no room for it: there it is in the drawer only. */
  readonly desktopOnly?: boolean
}

/** The pages of the panel, in the order of the drawer; those that a person has no right to are not shown. */
export const navItems: readonly NavItem[] = [
  {
    path: '/server',
    text: 'shell.Servers',
    keys: 'g s',
    scope: 'servers.view',
    Icon: IconServer2,
    aliases: ['/addserver'],
  },
  { path: '/node', text: 'shell.Nodes', keys: 'g n', scope: 'nodes.view', Icon: IconSitemap, aliases: ['/addnode'] },
  {
    path: '/template',
    text: 'shell.Templates',
    keys: 'g t',
    scope: 'templates.view',
    Icon: IconTemplate,
    aliases: ['/addtemplate', '/importtemplates'],
  },
  { path: '/user', text: 'shell.Users', keys: 'g u', scope: 'users.view', Icon: IconUsers, aliases: ['/adduser'] },
  {
    path: '/settings',
    text: 'shell.Settings',
    keys: 'g c',
    scope: 'panel.settings',
    Icon: IconSettings,
    aliases: ['/activity'],
    desktopOnly: true,
  },
]

/** Whether a path is the place or lies below it. */
export function isActive(item: Pick<NavItem, 'path' | 'aliases'>, pathname: string): boolean {
  return [item.path, ...(item.aliases ?? [])].some((path) => pathname === path || pathname.startsWith(`${path}/`))
}
