import type { UserDetail } from '@innkeeper/contract/accounts/users'
import { Avatar, Badge, Group } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFocusHeading } from '../../ui/layout/page.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'

/** Name and badges of the selected user. The heading takes the focus after a navigation. */
export function UserHeader({ user, actions }: { user: UserDetail; actions: ReactNode }) {
  const t = useT()
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusHeading(heading)
  return (
    <CardHeader
      icon={<Avatar name={user.username} aria-hidden />}
      title={<bdi>{user.username}</bdi>}
      headingRef={heading}
    >
      {!user.emailConfirmed && <Badge>{t('users.EmailNotConfirmed')}</Badge>}
      {user.otpEnabled && (
        <Badge bg="var(--ik-online-soft)" c="var(--ik-online)" leftSection={<IconShieldLock size={13} aria-hidden />}>
          {t('users.TwoFactorOn')}
        </Badge>
      )}
      <Group gap="xs" ms="auto">
        {actions}
      </Group>
    </CardHeader>
  )
}
