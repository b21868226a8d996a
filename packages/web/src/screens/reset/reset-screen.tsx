import { getConfig } from '@innkeeper/contract/panel'
import { forgotPassword, resetPassword } from '@innkeeper/contract/password-reset'
import { Button } from '@mantine/core'
import { IconCircleCheck, IconLinkOff, IconMailFast, IconMailOff } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { parseLinkToken } from '../../api/link-token.ts'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { SchemeToggle } from '../../features/appearance/scheme.tsx'
import { LanguageButton } from '../../features/language/language-button.tsx'
import { EmailField, PasswordFields } from '../../features/new-account/account-fields.tsx'
import { useNewAccount } from '../../features/new-account/use-new-account.ts'
import { useT } from '../../i18n/i18n.tsx'
import classes from '../../ui/auth-layout.module.css'
import { AuthFooter, AuthLayout, AuthMessage } from '../../ui/auth-layout.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'

/** A forgotten password: asks for a link by mail, and is what the link leads to. */
export function ResetScreen() {
  const { hash } = useLocation()
  const token = parseLinkToken(hash)
  return token === undefined ? <AskForLink /> : <SetPassword key={token} token={token} />
}

function AskForLink() {
  const t = useT()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const { mutateAsync } = useApiMutation(forgotPassword, { silent: true })
  const [sentTo, setSentTo] = useState<string>()
  const [sendsNoMail, setSendsNoMail] = useState(false)
  const account = useNewAccount({
    asks: ['email'],
    send: async ({ email }) => {
      await mutateAsync({ body: { email } })
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
      <AuthMessage
        icon={<IconMailFast size={26} aria-hidden />}
        title={t('reset.Sent')}
        subtitle={t('reset.SentHow', { email: sentTo })}
        corner={<Corner />}
      >
        <BackToLogin />
      </AuthMessage>
    )
  }
  if (sendsNoMail || config.data?.passwordResetEnabled === false) {
    return (
      <AuthMessage
        icon={<IconMailOff size={26} aria-hidden />}
        title={t('reset.NoMail')}
        subtitle={t('reset.NoMailHow')}
        corner={<Corner />}
      >
        <BackToLogin />
      </AuthMessage>
    )
  }
  return (
    <AuthLayout title={t('reset.ForgotTitle')} subtitle={t('reset.ForgotSubtitle')} corner={<Corner />}>
      <form ref={account.form} className={classes.form} onSubmit={account.submit} noValidate>
        {account.refusal !== undefined && <ErrorAlert error={account.refusal} />}
        <EmailField account={account} autoFocus />
        <Button type="submit" h={40} loading={account.isPending}>
          {t('reset.SendLink')}
        </Button>
      </form>
      <AuthFooter>
        <Link to="/auth/login">{t('reset.BackToLogin')}</Link>
      </AuthFooter>
    </AuthLayout>
  )
}

function SetPassword({ token }: { token: string }) {
  const t = useT()
  const { mutateAsync } = useApiMutation(resetPassword, { silent: true })
  const [state, setState] = useState<'open' | 'done' | 'dead'>('open')
  const account = useNewAccount({
    asks: ['password', 'repeated'],
    send: async ({ password }) => {
      await mutateAsync({ body: { token, password } })
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
      <AuthMessage
        icon={<IconCircleCheck size={26} aria-hidden />}
        title={t('reset.Done')}
        subtitle={t('reset.DoneHow')}
        corner={<Corner />}
      >
        <Button component={Link} to="/auth/login" replace h={40}>
          {t('login.LogIn')}
        </Button>
      </AuthMessage>
    )
  }
  if (state === 'dead') {
    return (
      <AuthMessage
        isError
        icon={<IconLinkOff size={26} aria-hidden />}
        title={t('reset.Dead')}
        subtitle={t('reset.DeadHow')}
        corner={<Corner />}
      >
        <Button component={Link} to="/auth/forgot" replace h={40}>
          {t('reset.AskAgain')}
        </Button>
        <AuthFooter>
          <Link to="/auth/login">{t('reset.BackToLogin')}</Link>
        </AuthFooter>
      </AuthMessage>
    )
  }
  return (
    <AuthLayout title={t('reset.Title')} subtitle={t('reset.Subtitle')} corner={<Corner />}>
      <form ref={account.form} className={classes.form} onSubmit={account.submit} noValidate>
        {account.refusal !== undefined && <ErrorAlert error={account.refusal} />}
        <PasswordFields account={account} autoFocus />
        <Button type="submit" h={40} loading={account.isPending}>
          {t('reset.Set')}
        </Button>
      </form>
    </AuthLayout>
  )
}

function BackToLogin() {
  const t = useT()
  return (
    <Button component={Link} to="/auth/login" variant="default" h={40}>
      {t('reset.BackToLogin')}
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
