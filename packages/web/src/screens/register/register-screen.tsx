import { register } from '@innkeeper/contract/auth'
import { getConfig } from '@innkeeper/contract/panel'
import { Button } from '@mantine/core'
import { IconCircleCheck, IconUserOff } from '@tabler/icons-react'
import { use, useState } from 'react'
import { Link, Navigate } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { SchemeToggle } from '../../features/appearance/scheme.tsx'
import { LanguageButton } from '../../features/language/language-button.tsx'
import { EmailField, PasswordFields, UsernameField } from '../../features/new-account/account-fields.tsx'
import { useNewAccount } from '../../features/new-account/use-new-account.ts'
import { useText } from '../../i18n/text.tsx'
import { useSession } from '../../session/session.tsx'
import classes from '../../ui/front-door.module.css'
import { DoorFoot, DoorState, FrontDoor } from '../../ui/front-door.tsx'
import { BrandContext } from '../../ui/page.tsx'
import { RefusalNotice } from '../../ui/refusal-notice.tsx'

/** An account of one's own, where the panel allows it. It may do nothing until an administrator gives it rights. */
export function RegisterScreen() {
  const text = useText()
  const brand = use(BrandContext)
  const { loggedIn, begin } = useSession()
  const config = useCall(getConfig, {}, { staleTime: 60_000 })
  const { send } = useSend(register, { quiet: true })
  const [state, setState] = useState<'open' | 'closed' | 'done'>('open')
  const account = useNewAccount({
    asks: ['username', 'email', 'password', 'repeated'],
    send: async ({ username, email, password }) => {
      const { session, scopes } = await send({ body: { username, email, password } })
      setState('done')
      begin({ session, ...(scopes ? { scopes } : {}) })
    },
    take: (refusal) => {
      // Registration was switched off while the form stood open.
      if (isRefusal(refusal, 'ErrNotFound')) setState('closed')
      return isRefusal(refusal, 'ErrNotFound')
    },
  })
  const corner = (
    <>
      <SchemeToggle />
      <LanguageButton />
    </>
  )

  if (state === 'done') {
    return (
      <DoorState
        icon={<IconCircleCheck size={26} stroke={1.6} aria-hidden />}
        title={text('register.Done')}
        subtitle={text('register.DoneHow')}
        corner={corner}
      >
        <Button component={Link} to="/account" h={40}>
          {text('shell.GoToAccount')}
        </Button>
      </DoorState>
    )
  }
  if (loggedIn) return <Navigate to="/" replace />
  if (config.data?.setupNeeded) return <Navigate to="/auth/setup" replace />
  if (state === 'closed' || config.data?.registrationEnabled === false) {
    return (
      <DoorState
        icon={<IconUserOff size={26} stroke={1.6} aria-hidden />}
        title={text('register.Closed')}
        subtitle={text('register.ClosedHow')}
        corner={corner}
      >
        <Button component={Link} to="/auth/login" h={40}>
          {text('login.LogIn')}
        </Button>
      </DoorState>
    )
  }
  return (
    <FrontDoor title={text('register.Title')} subtitle={text('register.Subtitle', { brand })} corner={corner}>
      <form ref={account.form} className={classes.form} onSubmit={account.submit} noValidate>
        {account.refusal !== undefined && <RefusalNotice error={account.refusal} />}
        <UsernameField account={account} autoFocus />
        <EmailField account={account} />
        <PasswordFields account={account} />
        <Button type="submit" h={40} loading={account.isPending}>
          {text('register.Register')}
        </Button>
      </form>
      <DoorFoot>
        {text('register.HaveAccount')} <Link to="/auth/login">{text('login.LogIn')}</Link>
      </DoorFoot>
    </FrontDoor>
  )
}
