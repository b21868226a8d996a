import type { ClientCredentials } from '@innkeeper/contract/oauth2'
import { Modal, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { use, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { applyError } from '../../forms/apply-error.ts'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import type { NewClient } from './client-manager.tsx'

interface CreateDialogProps {
  readonly create: (client: NewClient) => Promise<ClientCredentials>
  readonly onClose: () => void
  readonly onCreated: (credentials: ClientCredentials) => void
}

/** Asks for name and description of a new client, both optional, and for the password when the panel requires it. */
export function CreateDialog({ create, onClose, onCreated }: CreateDialogProps) {
  const t = useT()
  const showError = use(ShowErrorContext)
  const [needsPassword, setNeedsPassword] = useState(false)
  const form = useForm({ initialValues: { name: '', description: '', password: '' } })

  const submit = async ({ name, description, password }: Required<NewClient>) => {
    try {
      onCreated(await create({ name, description, ...(password === '' ? {} : { password }) }))
    } catch (error) {
      if (isRefusal(error, 'ErrPasswordRequired')) return setNeedsPassword(true)
      const applied = applyError(error, {
        t,
        fields: ['name', 'description', 'password'],
        fieldByCode: { ErrInvalidCredentials: 'password' },
        messages: { ErrInvalidCredentials: t('account.WrongPassword') },
      })
      if (applied.type === 'field') form.setFieldError(applied.field, applied.message)
      else showError(error)
    }
  }

  return (
    <Modal opened onClose={onClose} title={t('oauth.CreateTitle')}>
      <form noValidate onSubmit={form.onSubmit(submit)}>
        <Stack>
          <TextInput
            {...form.getInputProps('name')}
            data-autofocus
            label={t('common.Name')}
            maxLength={100}
            autoComplete="off"
          />
          <Textarea
            {...form.getInputProps('description')}
            label={t('common.Description')}
            placeholder={t('oauth.DescriptionHint')}
            maxLength={500}
            rows={3}
          />
          {needsPassword && (
            <PasswordInput
              {...form.getInputProps('password')}
              autoFocus
              label={t('account.CurrentPassword')}
              description={t('oauth.PasswordWhy')}
              autoComplete="current-password"
            />
          )}
          <DialogButtons onCancel={onClose} type="submit" loading={form.submitting}>
            {t('oauth.Create')}
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  )
}
