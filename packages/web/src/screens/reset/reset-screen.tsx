import { getConfig } from '@innkeeper/contract/panel'
import { forgotPassword, resetPassword } from '@innkeeper/contract/password-reset'
import { Button } from '@mantine/core'
import { IconCircleCheck, IconLinkOff, IconMailFast, IconMailOff } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { tokenIn } from '../../api/link.ts'
import { isRefusal } from '../../api/request.ts'
import { useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { SchemeToggle } from '../../features/appearance/scheme.tsx'
import { LanguageButton } from '../../features/language/language-button.tsx'
import { EmailField, PasswordFields } from '../../features/new-account/account-fields.tsx'
import { useNewAccount } from '../../features/new-account/use-new-account.ts'
import { useText } from '../../i18n/text.tsx'
import classes from '../../ui/front-door.module.css'
import { DoorFoot, DoorState, FrontDoor } from '../../ui/front-door.tsx'
import { RefusalNotice } from '../../ui/refusal-notice.tsx'

/** A forgotten password: asks for a link by mail, and is what the link leads to. */
export function ResetScreen() {
  const { hash } = useLocation()
  const token = tokenIn(hash)
  return token === undefined ? <AskForLink /> : <SetPassword key={token} token={token} />
}

function AskForLink() {
  const text = useText()
  const config = useCall(getConfig, {}, { staleTime: 60_000 })
  const { send } = useSend(forgotPassword, { quiet: true })
  const [sentTo, setSentTo] = useState<string>()
  const [sendsNoMail, setSendsNoMail] = useState(false)
  const account = useNewAccount({
    asks: ['email'],
    send: async ({ email }) => {
      await send({ body: { email } })
      setSentTo(email)
    },
    take: (refusal) => {
      const isOff = isRefusal(refusal, 'ErrEmailNotConfigured')
      if (isOff) setSendsNoMail(true)
      return isOff
    },
  })

  if (sentTo !== undefined) {
    return (
      <DoorState
        icon={<IconMailFast size={26} stroke={1.6} aria-hidden />}
        title={text('reset.Sent')}
        subtitle={text('reset.SentHow', { email: sentTo })}
        corner={<Corner />}
      >
        <BackToLogin />
      </DoorState>
    )
  }
  if (sendsNoMail || config.data?.passwordResetEnabled === false) {
    return (
      <DoorState
        icon={<IconMailOff size={26} stroke={1.6} aria-hidden />}
        title={text('reset.NoMail')}
        subtitle={text('reset.NoMailHow')}
        corner={<Corner />}
      >
        <BackToLogin />
      </DoorState>
    )
  }
  return (
    <FrontDoor title={text('reset.ForgotTitle')} subtitle={text('reset.ForgotSubtitle')} corner={<Corner />}>
      <form ref={account.form} className={classes.form} onSubmit={account.submit} noValidate>
        {account.refusal !== undefined && <RefusalNotice error={account.refusal} />}
        <EmailField account={account} autoFocus />
        <Button type="submit" h={40} loading={account.isPending}>
          {text('reset.SendLink')}
        </Button>
      </form>
      <DoorFoot>
        <Link to="/auth/login">{text('reset.BackToLogin')}</Link>
      </DoorFoot>
    </FrontDoor>
  )
}

function SetPassword({ token }: { token: string }) {
  const text = useText()
  const { send } = useSend(resetPassword, { quiet: true })
  const [state, setState] = useState<'open' | 'done' | 'dead'>('open')
  const account = useNewAccount({
    asks: ['password', 'repeated'],
    send: async ({ password }) => {
      await send({ body: { token, password } })
      setState('done')
    },
    take: (refusal) => {
      const isDead = isRefusal(refusal, 'ErrTokenInvalid', 'ErrInvalidTokenState')
      if (isDead) setState('dead')
      return isDead
    },
  })

  if (state === 'done') {
    return (
      <DoorState
        icon={<IconCircleCheck size={26} stroke={1.6} aria-hidden />}
        title={text('reset.Done')}
        subtitle={text('reset.DoneHow')}
        corner={<Corner />}
      >
        <Button component={Link} to="/auth/login" replace h={40}>
          {text('login.LogIn')}
        </Button>
      </DoorState>
    )
  }
  if (state === 'dead') {
    return (
      <DoorState
        isError
        icon={<IconLinkOff size={26} stroke={1.6} aria-hidden />}
        title={text('reset.Dead')}
        subtitle={text('reset.DeadHow')}
        corner={<Corner />}
      >
        <Button component={Link} to="/auth/forgot" replace h={40}>
          {text('reset.AskAgain')}
        </Button>
        <DoorFoot>
          <Link to="/auth/login">{text('reset.BackToLogin')}</Link>
        </DoorFoot>
      </DoorState>
    )
  }
  return (
    <FrontDoor title={text('reset.Title')} subtitle={text('reset.Subtitle')} corner={<Corner />}>
      <form ref={account.form} className={classes.form} onSubmit={account.submit} noValidate>
        {account.refusal !== undefined && <RefusalNotice error={account.refusal} />}
        <PasswordFields account={account} autoFocus />
        <Button type="submit" h={40} loading={account.isPending}>
          {text('reset.Set')}
        </Button>
      </form>
    </FrontDoor>
  )
}

function BackToLogin() {
  const text = useText()
  return (
    <Button component={Link} to="/auth/login" variant="default" h={40}>
      {text('reset.BackToLogin')}
    </Button>
  )
}

function Corner() {
  return (
    <>
      <SchemeToggle />
      <LanguageButton />
    </>
  )
}
