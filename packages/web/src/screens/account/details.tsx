import { putSelf, sendEmailConfirmation } from '@innkeeper/contract/account'
import { getConfig, getSelf, type Self } from '@innkeeper/contract/panel'
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { ifMatch, refetched, useCall, useVersionedCall, type VersionedAnswer } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { objectionTo } from '../../features/new-account/rules.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useText } from '../../i18n/text.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './account-screen.module.css'
import { Part } from './part.tsx'
import { fieldOfCode } from './problems.ts'

/** Name and address; the current password is asked as soon as something differs. */
export function Details() {
  const text = useText()
  const self = useVersionedCall(getSelf, {})
  return (
    <Part id="details" title={text('account.Details')}>
      {self.data?.answer.emailConfirmed === false && <NotConfirmed />}
      {self.data ? (
        <DetailsForm self={self.data} reload={() => refetched(self)} />
      ) : self.error ? (
        <LoadFailure title={text('account.Details')} error={self.error} again={() => void self.refetch()} />
      ) : null}
    </Part>
  )
}

interface DetailsDraft {
  readonly username: string
  readonly email: string
  /** The current one. */
  readonly password: string
}

type SavedSelf = VersionedAnswer<Self>

const savedOf = ({ answer: { username, email }, version }: SavedSelf) => ({
  values: { username, email, password: '' },
  version,
})

const labels = {
  username: 'account.Username',
  email: 'account.Email',
  password: 'account.CurrentPassword',
} as const

function DetailsForm({ self, reload }: { self: SavedSelf; reload: () => Promise<SavedSelf> }) {
  const text = useText()
  const put = useSend(putSelf, { quiet: true, refreshes: [getSelf] })
  const form = useSaveForm<DetailsDraft>({
    id: 'account-details',
    saved: savedOf(self),
    reload: async () => savedOf(await reload()),
    credentials: ['password'],
    normalize: ({ username, email, password }) => ({ username: username.trim(), email: email.trim(), password }),
    labelOf: (field) => text(labels[field]),
    byCode: fieldOfCode,
    messages: { ErrInvalidCredentials: text('account.WrongPassword') },
    validate: (values, changed) => {
      const objection = (field: 'username' | 'email') =>
        changed.includes(field) ? objectionTo(text, field, { ...values, repeated: '' }) : undefined
      const password =
        values.password === '' ? text('errors.ErrFieldRequired', { field: text(labels.password) }) : undefined
      return { username: objection('username'), email: objection('email'), password }
    },
    send: ({ values, changed, version }) =>
      put.send({ body: { ...changed, password: values.password } }, ifMatch(version)),
  })
  return (
    <SaveForm form={form} aria-label={text('account.Details')}>
      <div className={classes.fields}>
        <TextInput
          {...form.field('username')}
          label={text('account.Username')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextInput {...form.field('email')} type="email" label={text('account.Email')} autoComplete="email" />
        {form.isDirty && (
          <PasswordInput
            {...form.field('password')}
            label={text('account.CurrentPassword')}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': text('login.Reveal') }}
          />
        )}
      </div>
      <SaveBar form={form} isInline />
    </SaveForm>
  )
}

/** The address gives no permissions yet: how to confirm it. */
function NotConfirmed() {
  const text = useText()
  const config = useCall(getConfig, {}, { staleTime: 60_000 })
  const again = useSend(sendEmailConfirmation)
  const isMailReady = config.data?.passwordResetEnabled === true

  const send = async () => {
    try {
      await again.send()
      toast.success(text('account.ConfirmationSent'))
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <Notice
      kind="warning"
      action={
        isMailReady && (
          <Button size="xs" variant="default" loading={again.pending} onClick={() => void send()}>
            {text('account.SendConfirmation')}
          </Button>
        )
      }
    >
      {text(isMailReady ? 'account.NotConfirmed' : 'account.NotConfirmedNoMail')}
    </Notice>
  )
}
