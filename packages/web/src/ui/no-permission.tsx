import { Button, Paper } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useT } from '../i18n/i18n.tsx'
import { EmptyState } from './empty-state.tsx'

/** Shown instead of a page that the user has no permission for. */
export function NoPermission() {
  const t = useT()
  return (
    <Paper>
      <EmptyState
        icon={<IconLock size={24} aria-hidden />}
        title={t('shell.NoPermission')}
        actions={
          <Button component={Link} to="/account" variant="default">
            {t('shell.GoToAccount')}
          </Button>
        }
      >
        {t('shell.NoPermissionHow')}
      </EmptyState>
    </Paper>
  )
}
