import { createInvite, listInvites } from '@innkeeper/contract/invites'
import { getConfig } from '@innkeeper/contract/panel'
import { createUser, listUsers, type UserView } from '@innkeeper/contract/users'
import { Button, Paper, PasswordInput, SegmentedControl, TextInput } from '@mantine/core'
import { Activity, type ReactNode, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { fieldOfCode, objectionTo } from '../../features/new-account/rules.ts'
import { SaveForm } from '../../forms/save-form.tsx'
import { UnsavedChangesScope } from '../../forms/unsaved-changes.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { Alert } from '../../ui/alert.tsx'
import { NoPermission } from '../../ui/no-permission.tsx'
import { useFocusHeading } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { PendingInvites } from './pending-invites.tsx'
import classes from './users-screen.module.css'

/** A new person: with a password right away, or invited by mail where the panel can send it. */
export function AddUserScreen() {
  const mayEdit = useCan('users.edit')
  return mayEdit ? <AddUser /> : <NoPermission />
}

function AddUser() {
  const t = useT()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const maySendMail = config.data?.passwordResetEnabled === true
  const [way, setWay] = useState<'password' | 'invite'>('password')
  const isInviting = way === 'invite' && maySendMail
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusHeading(heading)

  return (
    <>
      <Paper>
        <div className={classes.head}>
          <h2 ref={heading} tabIndex={-1} data-quiet-focus>
            {t('users.Add')}
          </h2>
          {maySendMail && (
            <SegmentedControl
              size="sm"
              aria-label={t('users.Way')}
              value={way}
              onChange={(value) => setWay(value === 'invite' ? 'invite' : 'password')}
              data={[
                { value: 'password', label: t('users.WithPassword') },
                { value: 'invite', label: t('users.ByInvite') },
              ]}
            />
          )}
        </div>
        <Way isShown={isInviting}>
          <InviteForm />
        </Way>
        <Way isShown={!isInviting}>
          <PasswordForm />
        </Way>
      </Paper>
      <PendingInvites />
    </>
  )
}

/** One of the two ways to add somebody; what was typed for it stays while the other is shown. */
function Way({ isShown, children }: { isShown: boolean; children: ReactNode }) {
  const [wasShown, setWasShown] = useState(isShown)
  if (isShown && !wasShown) setWasShown(true)
  if (!wasShown) return null
  return (
    <UnsavedChangesScope isShown={isShown}>
      <Activity mode={isShown ? 'visible' : 'hidden'}>{children}</Activity>
    </UnsavedChangesScope>
  )
}

interface PasswordDraft {
  readonly username: string
  readonly email: string
  readonly password: string
}
const labels = { username: 'account.Username', email: 'account.Email', password: 'account.Password' } as const

function PasswordForm() {
  const t = useT()
  const goTo = useNavigate()
  const create = useApiMutation(createUser, { silent: true, invalidates: [listUsers] })
  const form = useSaveForm<PasswordDraft, string, UserView>({
    id: 'add-user',
    isNew: true,
    saved: { values: { username: '', email: '', password: '' } },
    secrets: ['password'],
    normalize: (values) => ({ ...values, email: values.email.trim() }),
    labelOf: (field) => t(labels[field]),
    byCode: fieldOfCode,
    validate: (values) => {
      const objection = (field: keyof PasswordDraft) => objectionTo(t, field, { ...values, repeated: '' })
      return { username: objection('username'), email: objection('email'), password: objection('password') }
    },
    send: ({ values }) => create.mutateAsync({ body: { ...values } }),
    onSaved: (user) => {
      toast.success(t('users.Created', { name: user.username }), { detail: t('users.GivePermissions') })
      return goTo(`/user/${user.id}`)
    },
    failure: t('users.UpdateFailed'),
    failureAt: 'form',
  })
  return (
    <SaveForm form={form} isInCard aria-label={t('users.Add')}>
      <div className={classes.fields}>
        <TextInput
          {...form.field('username')}
          label={t('account.Username')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextInput {...form.field('email')} type="email" label={t('account.Email')} autoComplete="off" />
        <PasswordInput
          {...form.field('password')}
          label={t('account.Password')}
          description={form.errors.password ? undefined : t('users.PasswordHint')}
          autoComplete="new-password"
        />
      </div>
      <Buttons action={t('users.Add')} isPending={form.isSaving} />
    </SaveForm>
  )
}

interface InviteDraft {
  readonly email: string
}

function InviteForm() {
  const t = useT()
  const invite = useApiMutation(createInvite, { silent: true, invalidates: [listInvites] })
  const [sentTo, setSentTo] = useState<string>()
  const form = useSaveForm<InviteDraft, string, string>({
    id: 'invite-user',
    isNew: true,
    saved: { values: { email: '' } },
    normalize: ({ email }) => ({ email: email.trim() }),
    labelOf: () => t('account.Email'),
    byCode: { ErrDuplicateEmail: 'email' },
    validate: ({ email }) => ({
      email: objectionTo(t, 'email', { username: '', email, password: '', repeated: '' }),
    }),
    send: async ({ values: { email } }) => {
      await invite.mutateAsync({ body: { email } })
      return email
    },
    onSaved: (email) => {
      setSentTo(email)
      toast.success(t('users.Invited', { email }))
    },
    failureAt: 'form',
  })
  return (
    <SaveForm form={form} isInCard aria-label={t('users.ByInvite')}>
      {sentTo !== undefined && sentTo === form.values.email && (
        <div className={classes.notice}>
          <Alert type="success">{t('users.Invited', { email: sentTo })}</Alert>
        </div>
      )}
      <div className={classes.fields}>
        <TextInput
          {...form.field('email')}
          type="email"
          label={t('account.Email')}
          description={form.errors.email ? undefined : t('users.InviteHint')}
          autoComplete="off"
        />
      </div>
      <Buttons action={t('users.SendInvite')} isPending={form.isSaving} />
    </SaveForm>
  )
}

function Buttons({ action, isPending }: { action: string; isPending: boolean }) {
  const t = useT()
  return (
    <div className={classes.buttons}>
      <Button component={Link} to="/user" variant="subtle" color="gray">
        {t('common.Cancel')}
      </Button>
      <Button type="submit" loading={isPending}>
        {action}
      </Button>
    </div>
  )
}
