import type { PanelScope } from '@innkeeper/contract/api/permissions'
import type { TFunction, TranslationKey } from '../../i18n/i18n.tsx'

/** The panel permissions as the page of a user names them, by scope. */
export const scopeNames = {
  'servers.admin': 'users.Administrator',
  'servers.view': 'users.ViewServers',
  'servers.create': 'users.CreateServers',
  'servers.delete': 'users.DeleteServers',
  'servers.edit.admin': 'users.EditServerAdmin',
  'nodes.view': 'users.ViewNodes',
  'nodes.edit': 'users.EditNodes',
  'nodes.deploy': 'users.DeployNodes',
  'templates.view': 'users.ViewTemplates',
  'templates.edit': 'users.EditTemplates',
  'users.view': 'users.ViewUsers',
  'users.edit': 'users.EditUsers',
  'panel.settings': 'users.PanelSettings',
} as const satisfies Partial<Record<PanelScope, TranslationKey>>

/** The name of the permission that a refusal misses, if it is one of the panel. */
export function getScopeName(t: TFunction, scope: unknown): string | undefined {
  const name = Object.entries(scopeNames).find(([key]) => key === scope)?.[1]
  return name && t(name)
}
