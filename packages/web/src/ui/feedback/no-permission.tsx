import type { PanelScope } from '@innkeeper/contract/api/permissions'
import { Paper } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { getScopeName } from '../names/scope-name.ts'
import { EmptyState } from './empty-state.tsx'

/** Shown instead of a page that the user has no permission for. */
export function NoPermission({ scope }: { scope: PanelScope }) {
  return (
    <Paper>
      <MissingPermission scope={scope} />
    </Paper>
  )
}

/** Shown in place of content that the user may not see: which permission is missing, and who can help. */
export function MissingPermission({ scope }: { scope: unknown }) {
  const t = useT()
  const permission = getScopeName(t, scope)
  return (
    <EmptyState
      icon={IconLock}
      title={t('shell.NoPermission')}
      link={{ to: '/account', label: t('shell.GoToAccount') }}
    >
      {permission === undefined ? t('shell.NoPermissionHow') : t('shell.NoPermissionFor', { permission })}
    </EmptyState>
  )
}
