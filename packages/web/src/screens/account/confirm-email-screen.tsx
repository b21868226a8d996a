import { confirmEmail, sendEmailConfirmation } from '@innkeeper/contract/accounts/account'
import { listServers } from '@innkeeper/contract/servers/servers'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { Button, Paper } from '@mantine/core'
import { IconCircleCheck, IconLinkOff, IconMailCheck } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { parseLinkToken } from '../../api/link-token.ts'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { toast } from '../../ui/toasts/toast.tsx'

/** The target of the link in a confirmation email: confirms the email address of the signed-in user. */
export function ConfirmEmailScreen() {
  const t = useT()
  const { self } = useSession()
  const { hash } = useLocation()
  const token = parseLinkToken(hash)
  const confirm = useApiMutation(confirmEmail, {
    invalidates: [getSelf, listServers],
    handleError: (error) => {
      const isDead = isRefusal(error, 'ErrTokenInvalid')
      if (isDead) setIsInvalid(true)
      return isDead
    },
  })
  const resend = useApiMutation(sendEmailConfirmation, {
    onSuccess: () => toast.success(t('account.ConfirmationSent')),
  })
  const [isInvalid, setIsInvalid] = useState(token === undefined)

  if (!self) return null
  return (
    <Page type="form">
      <Paper>
        {self.emailConfirmed ? (
          <EmptyState
            icon={IconCircleCheck}
            title={t('account.Confirmed')}
            link={{ to: '/account', label: t('shell.GoToAccount') }}
          >
            {t('account.ConfirmedAddress', { email: self.email })}
          </EmptyState>
        ) : isInvalid ? (
          <EmptyState
            icon={IconLinkOff}
            title={t('reset.Expired')}
            actions={
              <Button loading={resend.isPending} onClick={() => resend.mutate()}>
                {t('account.SendConfirmation')}
              </Button>
            }
          >
            {t('account.ConfirmDead')}
          </EmptyState>
        ) : (
          <EmptyState
            icon={IconMailCheck}
            title={t('account.ConfirmTitle')}
            actions={
              <Button loading={confirm.isPending} onClick={() => void confirm.mutate({ body: { token: token ?? '' } })}>
                {t('account.Confirm')}
              </Button>
            }
          >
            {t('account.ConfirmHow', { email: self.email, username: self.username })}
          </EmptyState>
        )}
      </Paper>
    </Page>
  )
}
