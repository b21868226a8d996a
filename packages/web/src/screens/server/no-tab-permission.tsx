import { Box, Button, Paper } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { type Tab, tabs } from './tabs.tsx'

/** The permission that opens each tab, as the Users tab names it. Everyone may open the last tab. */
const permissionNames: Readonly<Record<Exclude<Tab, 'admin'>, TranslationKey>> = {
  console: 'server-users.ViewConsole',
  stats: 'server-users.ViewUsage',
  players: 'server-users.ViewPlayers',
  files: 'server-users.ViewFiles',
  backups: 'server-users.ViewBackups',
  tasks: 'server-users.ChangeSettings',
  settings: 'server-users.ChangeSettings',
  users: 'server-users.ManageUsers',
}

interface NoTabPermissionProps {
  readonly tab: Tab
  readonly permitted: readonly Tab[]
  /** The server is suspended, which takes permissions. */
  readonly isSuspended: boolean
  readonly onOpen: (tab: Tab) => void
}

/** Shown instead of a tab that the user has no permission for: which one is missing, and who can give it. */
export function NoTabPermission({ tab, permitted, isSuspended, onOpen }: NoTabPermissionProps) {
  const t = useT()
  const [first] = permitted
  if (tab === 'admin') return null
  return (
    <Box flex={1} p={{ base: 'sm', sm: 0 }}>
      <Paper>
        <EmptyState
          icon={IconLock}
          title={t(`server.NoTab_${tab}`)}
          actions={
            first && (
              <Button variant="default" onClick={() => onOpen(first)}>
                {t(tabs[first].label)}
              </Button>
            )
          }
        >
          {isSuspended ? t('server.NoTabSuspended') : t('server.NoTabHow', { permission: t(permissionNames[tab]) })}
        </EmptyState>
      </Paper>
    </Box>
  )
}
