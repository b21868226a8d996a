import type { ClientCredentials } from '@innkeeper/contract/oauth2'
import { Modal, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { SubmitForm } from '../../forms/submit-form.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
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
  const [needsPassword, setNeedsPassword] = useState(false)
  const form = useSubmitForm({
    initialValues: { name: '', description: '', password: '' },
    fieldByCode: { ErrInvalidCredentials: 'password' },
    messages: { ErrInvalidCredentials: t('account.WrongPassword') },
    send: async ({ name, description, password }) =>
      onCreated(await create({ name, description, ...(password === '' ? {} : { password }) })),
    handleError: (error) => {
      const isRequired = isRefusal(error, 'ErrPasswordRequired')
      if (isRequired) setNeedsPassword(true)
      return isRequired
    },
  })

  return (
    <Modal opened onClose={onClose} title={t('oauth.CreateTitle')}>
      <SubmitForm form={form}>
        <Stack>
          <TextInput
            {...form.field('name')}
            data-autofocus
            label={t('common.Name')}
            maxLength={100}
            autoComplete="off"
          />
          <Textarea
            {...form.field('description')}
            label={t('common.Description')}
            placeholder={t('oauth.DescriptionHint')}
            maxLength={500}
            rows={3}
          />
          {needsPassword && (
            <PasswordInput
              {...form.field('password')}
              autoFocus
              label={t('account.CurrentPassword')}
              description={t('oauth.PasswordWhy')}
              autoComplete="current-password"
            />
          )}
          <DialogButtons onCancel={onClose} type="submit" loading={form.isSubmitting}>
            {t('oauth.Create')}
          </DialogButtons>
        </Stack>
      </SubmitForm>
    </Modal>
  )
}
