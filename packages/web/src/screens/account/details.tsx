import { putSelf, sendEmailConfirmation } from '@innkeeper/contract/accounts/account'
import { getConfig, getSelf, type Self } from '@innkeeper/contract/settings/panel'
import { Box, Button, TextInput } from '@mantine/core'
import type { VersionedResponse } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { refetchOrThrow, useApiQuery, useVersionedApiQuery } from '../../api/use-api.ts'
import { validateAccountField } from '../../features/new-account/validate-account.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { AccountSection, FormGrid } from './account-section.tsx'
import { fieldByCode } from './field-by-code.ts'

/** Username and email address; changing them requires the current password. */
export function DetailsSection() {
  const t = useT()
  const self = useVersionedApiQuery(getSelf, {})
  return (
    <AccountSection id="details" title={t('common.Details')} isFlush>
      {self.data?.response.emailConfirmed === false && (
        <Box px="md" pt="md">
          <EmailNotConfirmed />
        </Box>
      )}
      <QueryState query={self} errorTitle={t('users.OneLoadFailed')}>
        {(data) => <DetailsForm self={data} reload={() => refetchOrThrow(self)} />}
      </QueryState>
    </AccountSection>
  )
}

interface DetailsDraft {
  readonly username: string
  readonly email: string
  /** The current password. */
  readonly password: string
}

type SavedSelf = VersionedResponse<Self>

const toSaved = ({ response: { username, email }, version }: SavedSelf) => ({
  values: { username, email, password: '' },
  version,
})

const labels = {
  username: 'common.Username',
  email: 'common.Email',
  password: 'account.CurrentPassword',
} as const

function DetailsForm({ self, reload }: { self: SavedSelf; reload: () => Promise<SavedSelf> }) {
  const t = useT()
  const put = useApiMutation(putSelf, { invalidates: [getSelf] })
  const form = useSaveForm<DetailsDraft>({
    id: 'account-details',
    saved: toSaved(self),
    reload: async () => toSaved(await reload()),
    confirmingSecrets: ['password'],
    normalize: ({ username, email, password }) => ({ username: username.trim(), email: email.trim(), password }),
    getLabel: (field) => t(labels[field]),
    fieldByCode,
    messages: { ErrInvalidCredentials: t('account.WrongPassword') },
    validate: (values, changed) => {
      const validateIfChanged = (field: 'username' | 'email') =>
        changed.includes(field) ? validateAccountField(t, field, values) : undefined
      const password = values.password === '' ? t('errors.ErrFieldRequired', { field: t(labels.password) }) : undefined
      return { username: validateIfChanged('username'), email: validateIfChanged('email'), password }
    },
    send: ({ values, changed, version }) =>
      put.mutateAsync({ body: { ...changed, password: values.password } }, { version }),
  })
  return (
    <SaveForm form={form} isInCard aria-label={t('common.Details')}>
      <FormGrid p="md">
        <TextInput
          {...form.field('username')}
          label={t('common.Username')}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextInput {...form.field('email')} type="email" label={t('common.Email')} autoComplete="email" />
        {form.isDirty && (
          <PasswordField
            {...form.field('password')}
            label={t('account.CurrentPassword')}
            autoComplete="current-password"
          />
        )}
      </FormGrid>
      <SaveBar form={form} isInline />
    </SaveForm>
  )
}

/** Explains that the email address is not confirmed, and sends the confirmation link again where email is set up. */
function EmailNotConfirmed() {
  const t = useT()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const resend = useApiMutation(sendEmailConfirmation, {
    onSuccess: () => toast.success(t('account.ConfirmationSent')),
  })
  const canSendEmail = config.data?.passwordResetEnabled === true

  return (
    <Alert
      type="warning"
      action={
        canSendEmail && (
          <Button size="xs" variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
            {t('account.SendConfirmation')}
          </Button>
        )
      }
    >
      {t(canSendEmail ? 'account.NotConfirmed' : 'account.NotConfirmedNoMail')}
    </Alert>
  )
}
