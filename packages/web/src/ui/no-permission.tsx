import { Button } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useT } from '../i18n/i18n.tsx'
import { EmptyState } from './empty-state.tsx'
import { Card } from './small.tsx'

/** Stands in the place of a page that one has no right to. */
export function NoPermission() {
  const t = useT()
  return (
    <Card>
      <EmptyState
        icon={<IconLock size={24} stroke={1.6} aria-hidden />}
        title={t('shell.NoPermission')}
        actions={
          <Button component={Link} to="/account" variant="default">
            {t('shell.GoToAccount')}
          </Button>
        }
      >
        {t('shell.NoPermissionHow')}
      </EmptyState>
    </Card>
  )
}
