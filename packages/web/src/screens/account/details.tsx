import { putSelf, sendEmailConfirmation } from '@innkeeper/contract/account'
import { getConfig, getSelf, type Self } from '@innkeeper/contract/panel'
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import {
  ifMatch,
  refetchOrThrow,
  useApiQuery,
  useVersionedApiQuery,
  type VersionedAnswer,
} from '../../api/use-api-query.ts'
import { objectionTo } from '../../features/new-account/rules.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './account-screen.module.css'
import { Part } from './part.tsx'
import { fieldOfCode } from './problems.ts'

/** Name and address; the current password is asked as soon as something differs. */
export function Details() {
  const t = useT()
  const self = useVersionedApiQuery(getSelf, {})
  return (
    <Part id="details" title={t('account.Details')}>
      {self.data?.answer.emailConfirmed === false && <NotConfirmed />}
      {self.data ? (
        <DetailsForm self={self.data} reload={() => refetchOrThrow(self)} />
      ) : self.error ? (
        <QueryError title={t('account.Details')} error={self.error} retry={() => void self.refetch()} />
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
  const t = useT()
  const put = useApiMutation(putSelf, { silent: true, invalidates: [getSelf] })
  const form = useSaveForm<DetailsDraft>({
    id: 'account-details',
    saved: savedOf(self),
    reload: async () => savedOf(await reload()),
    credentials: ['password'],
    normalize: ({ username, email, password }) => ({ username: username.trim(), email: email.trim(), password }),
    labelOf: (field) => t(labels[field]),
    byCode: fieldOfCode,
    messages: { ErrInvalidCredentials: t('account.WrongPassword') },
    validate: (values, changed) => {
      const objection = (field: 'username' | 'email') =>
        changed.includes(field) ? objectionTo(t, field, { ...values, repeated: '' }) : undefined
      const password = values.password === '' ? t('errors.ErrFieldRequired', { field: t(labels.password) }) : undefined
      return { username: objection('username'), email: objection('email'), password }
    },
    send: ({ values, changed, version }) =>
      put.mutateAsync({ body: { ...changed, password: values.password } }, ifMatch(version)),
  })
  return (
    <SaveForm form={form} aria-label={t('account.Details')}>
      <div className={classes.fields}>
        <TextInput
          {...form.field('username')}
          label={t('account.Username')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextInput {...form.field('email')} type="email" label={t('account.Email')} autoComplete="email" />
        {form.isDirty && (
          <PasswordInput
            {...form.field('password')}
            label={t('account.CurrentPassword')}
            autoComplete="current-password"
          />
        )}
      </div>
      <SaveBar form={form} isInline />
    </SaveForm>
  )
}

/** The address gives no permissions yet: how to confirm it. */
function NotConfirmed() {
  const t = useT()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const retry = useApiMutation(sendEmailConfirmation)
  const isMailReady = config.data?.passwordResetEnabled === true

  const send = async () => {
    try {
      await retry.mutateAsync()
      toast.success(t('account.ConfirmationSent'))
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <Alert
      type="warning"
      action={
        isMailReady && (
          <Button size="xs" variant="default" loading={retry.isPending} onClick={() => void send()}>
            {t('account.SendConfirmation')}
          </Button>
        )
      }
    >
      {t(isMailReady ? 'account.NotConfirmed' : 'account.NotConfirmedNoMail')}
    </Alert>
  )
}
