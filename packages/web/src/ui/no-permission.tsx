import { Button } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useText } from '../i18n/text.tsx'
import { EmptyState } from './empty-state.tsx'
import { Card } from './small.tsx'

/** Stands in the place of a page that one has no right to. */
export function NoPermission() {
  const text = useText()
  return (
    <Card>
      <EmptyState
        icon={<IconLock size={24} stroke={1.6} aria-hidden />}
        title={text('shell.NoPermission')}
        actions={
          <Button component={Link} to="/account" variant="default">
            {text('shell.GoToAccount')}
          </Button>
        }
      >
        {text('shell.NoPermissionHow')}
      </EmptyState>
    </Card>
  )
}
