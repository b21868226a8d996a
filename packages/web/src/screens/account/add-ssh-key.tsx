import { addSshKey, listSshKeys, type SshKey } from '@innkeeper/contract/ssh-keys'
import { Box, Button, FileButton, Modal, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core'
import { IconFile } from '@tabler/icons-react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { SubmitForm } from '../../forms/submit-form.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { fieldByCode } from './field-by-code.ts'

/** In bytes; no public key is longer. */
const maxFileSize = 16_384

/** Adds a public key, pasted or read from a file. Requires the current password. */
export function AddSshKey({ onClose, onAdded }: { onClose: () => void; onAdded: (key: SshKey) => void }) {
  const t = useT()
  const add = useApiMutation(addSshKey, { silent: true, invalidates: [listSshKeys] })
  const required = (value: string, field: string) =>
    value.trim() === '' ? t('errors.ErrFieldRequired', { field }) : undefined
  const form = useSubmitForm({
    initialValues: { key: '', name: '', password: '' },
    fieldByCode,
    messages: { ErrInvalidCredentials: t('account.WrongPassword') },
    validate: ({ key, password }) => ({
      key: required(key, t('common.PublicKey')),
      password: required(password, t('account.CurrentPassword')),
    }),
    send: async ({ key, name, password }) => {
      const label = name.trim()
      onAdded(await add.mutateAsync({ body: { key, password, ...(label === '' ? {} : { name: label }) } }))
    },
  })
  const readFile = async (file: File | null) => {
    if (file) form.set({ key: (await file.slice(0, maxFileSize).text()).trim() })
  }
  return (
    <Modal opened onClose={onClose} title={t('account.AddKey')}>
      <SubmitForm form={form} aria-label={t('account.AddKey')}>
        <Stack>
          <Box>
            <Textarea
              {...form.field('key')}
              label={t('common.PublicKey')}
              description={t('account.PublicKeyHint')}
              minRows={3}
              maxRows={8}
              autosize
              spellCheck={false}
              autoComplete="off"
              data-autofocus
            />
            <FileButton accept=".pub,text/plain" onChange={(file) => void readFile(file)}>
              {(props) => (
                <Button {...props} mt="xs" size="xs" variant="default" leftSection={<IconFile size={16} aria-hidden />}>
                  {t('account.ChooseKeyFile')}
                </Button>
              )}
            </FileButton>
          </Box>
          <TextInput
            {...form.field('name')}
            label={t('common.Name')}
            description={t('account.KeyNameHint')}
            maxLength={100}
            autoComplete="off"
          />
          <PasswordInput
            {...form.field('password')}
            label={t('account.CurrentPassword')}
            autoComplete="current-password"
          />
          <DialogButtons onCancel={onClose} type="submit" loading={form.isSubmitting}>
            {t('account.AddKey')}
          </DialogButtons>
        </Stack>
      </SubmitForm>
    </Modal>
  )
}
