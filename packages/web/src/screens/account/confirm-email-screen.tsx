import { confirmEmail, sendEmailConfirmation } from '@innkeeper/contract/account'
import { getSelf } from '@innkeeper/contract/panel'
import { listServers } from '@innkeeper/contract/servers'
import { Button } from '@mantine/core'
import { IconCircleCheck, IconLinkOff, IconMailCheck } from '@tabler/icons-react'
import { use, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { tokenIn } from '../../api/link.ts'
import { isRefusal } from '../../api/request.ts'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { useSession } from '../../session/session.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { Card } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'

/** What the link in a confirmation mail leads to: confirms the email address of the account that is logged in. */
export function ConfirmEmailScreen() {
  const text = useText()
  const { self } = useSession()
  const { hash } = useLocation()
  const token = tokenIn(hash)
  const tell = use(TellRefusalContext)
  const confirm = useSend(confirmEmail, { quiet: true, refreshes: [getSelf, listServers] })
  const again = useSend(sendEmailConfirmation)
  const [isDead, setIsDead] = useState(token === undefined)

  const send = async () => {
    try {
      await confirm.send({ body: { token: token ?? '' } })
    } catch (error) {
      if (isRefusal(error, 'ErrTokenInvalid')) setIsDead(true)
      else tell(error)
    }
  }
  const sendAgain = async () => {
    try {
      await again.send()
      toast.success(text('account.ConfirmationSent'))
    } catch {
      // `useSend` has told why.
    }
  }
  if (!self) return null
  const toAccount = (
    <Button component={Link} to="/account" variant="default">
      {text('shell.GoToAccount')}
    </Button>
  )
  return (
    <Page kind="wizard">
      <Card>
        {self.emailConfirmed ? (
          <EmptyState
            icon={<IconCircleCheck size={24} stroke={1.6} aria-hidden />}
            title={text('account.Confirmed')}
            actions={toAccount}
          >
            {text('account.ConfirmedAddress', { email: self.email })}
          </EmptyState>
        ) : isDead ? (
          <EmptyState
            icon={<IconLinkOff size={24} stroke={1.6} aria-hidden />}
            title={text('reset.Dead')}
            actions={
              <Button loading={again.pending} onClick={() => void sendAgain()}>
                {text('account.SendConfirmation')}
              </Button>
            }
          >
            {text('account.ConfirmDead')}
          </EmptyState>
        ) : (
          <EmptyState
            icon={<IconMailCheck size={24} stroke={1.6} aria-hidden />}
            title={text('account.ConfirmTitle')}
            actions={
              <Button loading={confirm.pending} onClick={() => void send()}>
                {text('account.Confirm')}
              </Button>
            }
          >
            {text('account.ConfirmHow', { email: self.email, username: self.username })}
          </EmptyState>
        )}
      </Card>
    </Page>
  )
}
