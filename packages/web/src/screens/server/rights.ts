import { isAdmin, type ServerPermissions, type ServerRight } from '@innkeeper/contract/permissions'

/** What a person may do on a server, asked by right. */
export type May = (right: ServerRight) => boolean

/** From the scopes in the panel and the permissions on the server; an administrator may everything. */
export function rightsFrom(scopes: readonly string[], permissions: ServerPermissions | null): May {
  const isEverything = isAdmin(scopes) || permissions?.admin === true
  return (right) => {
    if (isEverything || right === 'viewServer') return true
    if (right === 'admin') return false
    if (right === 'deleteServer') return permissions?.deleteServer === true || permissions?.deleteServers === true
    return permissions?.[right] === true
  }
}

/** The tabs of a server, in their order, and what they need. */
export const tabs = ['console', 'stats', 'files', 'tasks', 'settings', 'users', 'admin'] as const
export type Tab = (typeof tabs)[number]

/** Their names, as keys of the catalogue. */
export const tabNames: Readonly<Record<Tab, string>> = {
  console: 'server.TabConsole',
  stats: 'server.TabStats',
  files: 'server.TabFiles',
  tasks: 'server.TabTasks',
  settings: 'server.TabSettings',
  users: 'server.TabUsers',
  admin: 'server.TabAdmin',
}

/** The tabs that a person may open. */
export function tabsFor(can: May): readonly Tab[] {
  const open: Readonly<Record<Tab, boolean>> = {
    console: can('viewServerConsole'),
    stats: can('viewServerStats'),
    files: can('viewServerFiles') || can('sftpServer'),
    tasks: can('editServerData'),
    settings: can('editServerData'),
    users: can('editServerUsers'),
    // Everyone has clients of their own there.
    admin: true,
  }
  return tabs.filter((tab) => open[tab])
}

/** Fingers need room: at the bottom of a phone five fit, of more some are behind a button. */
const fitting = 5

/** The tabs that a phone's bar shows, and those behind its last button: tasks, then the last ones. */
export function folded(permitted: readonly Tab[]): { readonly shown: readonly Tab[]; readonly more: readonly Tab[] } {
  if (permitted.length <= fitting) return { shown: permitted, more: [] }
  const shown: readonly Tab[] = permitted.filter((tab) => tab !== 'tasks').slice(0, fitting - 1)
  return { shown, more: permitted.filter((tab) => !shown.includes(tab)) }
}

/** The tab that an address asks for; the first permitted one when it asks for none or another. */
export function tabFrom(asked: string | null, permitted: readonly Tab[]): Tab | undefined {
  return permitted.find((tab) => tab === asked) ?? permitted[0]
}
