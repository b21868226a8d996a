import { forgotPassword, resetPassword } from '@innkeeper/contract/accounts/password-reset'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { Button } from '@mantine/core'
import { IconCircleCheck, IconLinkOff, IconMailFast, IconMailOff } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { parseLinkToken } from '../../api/link-token.ts'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { AccountForm, EmailField, PasswordFields } from '../../features/new-account/account-fields.tsx'
import { useAccountForm } from '../../features/new-account/use-account-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { AuthFooter, AuthLayout, AuthMessage } from '../../ui/layout/auth-layout.tsx'

/** Requests a reset link by email; the link itself opens this screen with a token. */
export function PasswordResetScreen() {
  const { hash } = useLocation()
  const token = parseLinkToken(hash)
  return token === undefined ? <RequestLink /> : <SetPassword key={token} token={token} />
}

function RequestLink() {
  const t = useT()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const { mutateAsync } = useApiMutation(forgotPassword)
  const [sentTo, setSentTo] = useState<string>()
  const [isEmailOff, setIsEmailOff] = useState(false)
  const account = useAccountForm({
    fields: ['email'],
    send: async ({ email }) => {
      await mutateAsync({ body: { email } })
      return email
    },
    onSaved: setSentTo,
    handleError: (error) => {
      const isOff = isRefusal(error, 'ErrEmailNotConfigured')
      if (isOff) setIsEmailOff(true)
      return isOff
    },
  })

  if (sentTo !== undefined) {
    return (
      <AuthMessage
        icon={<IconMailFast size={26} aria-hidden />}
        title={t('reset.Sent')}
        subtitle={t('reset.SentHow', { email: sentTo })}
      >
        <BackToSignIn />
      </AuthMessage>
    )
  }
  if (isEmailOff || config.data?.passwordResetEnabled === false) {
    return (
      <AuthMessage
        icon={<IconMailOff size={26} aria-hidden />}
        title={t('reset.NoMail')}
        subtitle={t('reset.NoMailHow')}
      >
        <BackToSignIn />
      </AuthMessage>
    )
  }
  return (
    <AuthLayout title={t('reset.Forgot')} subtitle={t('reset.ForgotSubtitle')}>
      <AccountForm account={account} action={t('reset.SendLink')}>
        <EmailField account={account} autoFocus />
      </AccountForm>
      <AuthFooter>
        <Link to="/auth/login">{t('reset.BackToSignIn')}</Link>
      </AuthFooter>
    </AuthLayout>
  )
}

function SetPassword({ token }: { token: string }) {
  const t = useT()
  const { mutateAsync } = useApiMutation(resetPassword)
  const [status, setStatus] = useState<'open' | 'done' | 'expired'>('open')
  const account = useAccountForm({
    fields: ['password', 'repeated'],
    send: ({ password }) => mutateAsync({ body: { token, password } }),
    onSaved: () => setStatus('done'),
    handleError: (error) => {
      const isExpired = isRefusal(error, 'ErrTokenInvalid', 'ErrInvalidTokenState')
      if (isExpired) setStatus('expired')
      return isExpired
    },
  })

  if (status === 'done') {
    return (
      <AuthMessage
        icon={<IconCircleCheck size={26} aria-hidden />}
        title={t('account.PasswordChanged')}
        subtitle={t('reset.DoneHow')}
      >
        <Button component={Link} to="/auth/login" replace h={40}>
          {t('sign-in.SignIn')}
        </Button>
      </AuthMessage>
    )
  }
  if (status === 'expired') {
    return (
      <AuthMessage
        isError
        icon={<IconLinkOff size={26} aria-hidden />}
        title={t('reset.Expired')}
        subtitle={t('reset.ExpiredHow')}
      >
        <Button component={Link} to="/auth/forgot" replace h={40}>
          {t('reset.RequestNewLink')}
        </Button>
        <AuthFooter>
          <Link to="/auth/login">{t('reset.BackToSignIn')}</Link>
        </AuthFooter>
      </AuthMessage>
    )
  }
  return (
    <AuthLayout title={t('reset.Title')} subtitle={t('reset.Subtitle')}>
      <AccountForm account={account} action={t('reset.Set')}>
        <PasswordFields account={account} autoFocus />
      </AccountForm>
    </AuthLayout>
  )
}

function BackToSignIn() {
  const t = useT()
  return (
    <Button component={Link} to="/auth/login" variant="default" h={40}>
      {t('reset.BackToSignIn')}
    </Button>
  )
}
