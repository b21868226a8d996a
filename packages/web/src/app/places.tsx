import type { PanelScope } from '@innkeeper/contract/permissions'
import { IconServer2, IconSettings, IconSitemap, IconTemplate, IconUsers, type TablerIcon } from '@tabler/icons-react'

/** A page that the drawer, the bottom bar, the palette and a key sequence lead to. */
export interface Place {
  readonly path: string
  readonly text: string
  readonly keys: string
  readonly scope: PanelScope
  readonly Icon: TablerIcon
  /** Pages that belong to it without standing below its path. */
  readonly also?: readonly string[]
  /** A phone's bottom bar has no room for it: there it is in the drawer only. */
  readonly isRare?: boolean
}

/** The pages of the panel, in the order of the drawer; those that a person has no right to are not shown. */
export const places: readonly Place[] = [
  {
    path: '/server',
    text: 'shell.Servers',
    keys: 'g s',
    scope: 'servers.view',
    Icon: IconServer2,
    also: ['/addserver'],
  },
  { path: '/node', text: 'shell.Nodes', keys: 'g n', scope: 'nodes.view', Icon: IconSitemap, also: ['/addnode'] },
  {
    path: '/template',
    text: 'shell.Templates',
    keys: 'g t',
    scope: 'templates.view',
    Icon: IconTemplate,
    also: ['/addtemplate', '/importtemplates'],
  },
  { path: '/user', text: 'shell.Users', keys: 'g u', scope: 'users.view', Icon: IconUsers, also: ['/adduser'] },
  {
    path: '/settings',
    text: 'shell.Settings',
    keys: 'g c',
    scope: 'panel.settings',
    Icon: IconSettings,
    also: ['/activity'],
    isRare: true,
  },
]

/** Whether a path is the place or lies below it. */
export function isAt(place: Pick<Place, 'path' | 'also'>, pathname: string): boolean {
  return [place.path, ...(place.also ?? [])].some((path) => pathname === path || pathname.startsWith(`${path}/`))
}
