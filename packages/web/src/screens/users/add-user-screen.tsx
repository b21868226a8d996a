import { createInvite, listInvites } from '@innkeeper/contract/invites'
import { getConfig } from '@innkeeper/contract/panel'
import { createUser, listUsers } from '@innkeeper/contract/users'
import { Button, PasswordInput, SegmentedControl, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { useNewAccount } from '../../features/new-account/use-new-account.ts'
import { useText } from '../../i18n/text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useTitleFocus } from '../../ui/page.tsx'
import { Card } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { PendingInvites } from './pending-invites.tsx'
import classes from './users-screen.module.css'

type Way = 'password' | 'invite'

/** A new person: with a password right away, or invited by mail where the panel can send it. */
export function AddUserScreen() {
  const text = useText()
  const config = useCall(getConfig, {}, { staleTime: 60_000 })
  const maySendMail = config.data?.passwordResetEnabled === true
  const [way, setWay] = useState<Way>('password')
  const heading = useRef<HTMLHeadingElement>(null)
  useTitleFocus(heading)

  return (
    <>
      <Card>
        <div className={classes.head}>
          <h2 ref={heading} tabIndex={-1} data-quiet-focus>
            {text('users.Add')}
          </h2>
          {maySendMail && (
            <SegmentedControl
              size="sm"
              aria-label={text('users.Way')}
              value={way}
              onChange={(value) => setWay(value === 'invite' ? 'invite' : 'password')}
              data={[
                { value: 'password', label: text('users.WithPassword') },
                { value: 'invite', label: text('users.ByInvite') },
              ]}
            />
          )}
        </div>
        {way === 'invite' && maySendMail ? <InviteForm /> : <PasswordForm />}
      </Card>
      <PendingInvites />
    </>
  )
}

function PasswordForm() {
  const text = useText()
  const goTo = useNavigate()
  const create = useSend(createUser, { quiet: true, refreshes: [listUsers] })
  const account = useNewAccount({
    asks: ['username', 'email', 'password'],
    send: async ({ username, email, password }) => {
      const user = await create.send({ body: { username, email, password } })
      toast.success(text('users.Created', { name: user.username }), { detail: text('users.GivePermissions') })
      await goTo(`/user/${user.id}`)
    },
  })
  return (
    <form ref={account.form} noValidate onSubmit={account.submit} aria-label={text('users.Add')}>
      {account.problem && (
        <div className={classes.notice}>
          <Notice kind="error">{account.problem}</Notice>
        </div>
      )}
      <div className={classes.fields}>
        <TextInput
          {...account.field('username')}
          label={text('account.Username')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextInput {...account.field('email')} type="email" label={text('account.Email')} autoComplete="off" />
        <PasswordInput
          {...account.field('password')}
          label={text('account.Password')}
          description={account.field('password').error ? undefined : text('users.PasswordHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': text('login.Reveal') }}
        />
      </div>
      <Buttons action={text('users.Add')} isPending={account.isPending} />
    </form>
  )
}

function InviteForm() {
  const text = useText()
  const invite = useSend(createInvite, { quiet: true, refreshes: [listInvites] })
  const [sentTo, setSentTo] = useState<string>()
  const account = useNewAccount({
    asks: ['email'],
    send: async ({ email }) => {
      await invite.send({ body: { email } })
      setSentTo(email)
      toast.success(text('users.Invited', { email }))
    },
  })
  return (
    <form ref={account.form} noValidate onSubmit={account.submit} aria-label={text('users.ByInvite')}>
      {account.problem && (
        <div className={classes.notice}>
          <Notice kind="error">{account.problem}</Notice>
        </div>
      )}
      {sentTo === account.values.email.trim() && sentTo !== '' && (
        <div className={classes.notice}>
          <Notice kind="success">{text('users.Invited', { email: sentTo })}</Notice>
        </div>
      )}
      <div className={classes.fields}>
        <TextInput
          {...account.field('email')}
          type="email"
          label={text('account.Email')}
          description={account.field('email').error ? undefined : text('users.InviteHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autoComplete="off"
        />
      </div>
      <Buttons action={text('users.SendInvite')} isPending={account.isPending} />
    </form>
  )
}

function Buttons({ action, isPending }: { action: string; isPending: boolean }) {
  const text = useText()
  return (
    <div className={classes.buttons}>
      <Button component={Link} to="/user" variant="subtle" color="gray">
        {text('common.Cancel')}
      </Button>
      <Button type="submit" loading={isPending}>
        {action}
      </Button>
    </div>
  )
}
