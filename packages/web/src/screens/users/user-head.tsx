import type { UserDetail } from '@innkeeper/contract/users'
import { Badge } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { useFocusHeading } from '../../ui/page.tsx'
import classes from './users-screen.module.css'

/** The name of the person in view. Coming from the list, it has the focus and is read out. */
export function UserHead({ user, actions }: { user: UserDetail; actions: ReactNode }) {
  const t = useT()
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusHeading(heading)
  return (
    <div className={classes.head}>
      <Avatar name={user.username} />
      <h2 ref={heading} tabIndex={-1} data-quiet-focus>
        <bdi>{user.username}</bdi>
      </h2>
      {!user.emailConfirmed && <Badge>{t('users.EmailNotConfirmed')}</Badge>}
      {user.otpEnabled && (
        <span className={classes.twoFactor}>
          <Badge>
            <IconShieldLock size={13} aria-hidden />
            {t('users.TwoFactorOn')}
          </Badge>
        </span>
      )}
      {actions}
    </div>
  )
}
