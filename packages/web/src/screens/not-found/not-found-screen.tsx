import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { useT } from '../../i18n/i18n.tsx'
import { AuthLayout } from '../../ui/layout/auth-layout.tsx'

export function NotFoundScreen() {
  const t = useT()
  return (
    <AuthLayout title={t('not-found.Title')} subtitle={t('not-found.Subtitle')}>
      <Button component={Link} to="/server" h={40}>
        {t('not-found.GoToServers')}
      </Button>
    </AuthLayout>
  )
}
