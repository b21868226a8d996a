import { type PanelScope, panelScopes, type ServerPermission } from '@innkeeper/contract/api/permissions'
import { MultiSelect } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { scopeNames } from '../names/scope-name.ts'
import { allPermissions, permissionGroups } from '../names/server-permissions.ts'

interface SelectProps<P extends string> {
  readonly label: string
  readonly description?: string | undefined
  readonly error?: string | undefined
  readonly value: readonly P[]
  readonly onChange: (value: readonly P[]) => void
}

/** Selects permissions on servers. */
export function ServerPermissionSelect({ value, onChange, ...props }: SelectProps<ServerPermission>) {
  const t = useT()
  return (
    <MultiSelect
      {...props}
      searchable
      clearable
      data={permissionGroups.map(({ name, permissions }) => ({
        group: t(name),
        items: permissions.map((one) => ({ value: one.permission, label: t(one.name) })),
      }))}
      value={[...value]}
      onChange={(next) =>
        onChange(allPermissions.map(({ permission }) => permission).filter((one) => next.includes(one)))
      }
    />
  )
}

interface ScopeSelectProps extends SelectProps<PanelScope> {
  /** Those that can be selected. */
  readonly scopes?: readonly PanelScope[]
}

/** Selects permissions in the panel. */
export function ScopeSelect({ value, onChange, scopes = panelScopes, ...props }: ScopeSelectProps) {
  const t = useT()
  return (
    <MultiSelect
      {...props}
      searchable
      clearable
      data={scopes.map((scope) => ({ value: scope, label: t(scopeNames[scope]) }))}
      value={[...value]}
      onChange={(next) => onChange(panelScopes.filter((scope) => next.includes(scope)))}
    />
  )
}
