import { addSshKey, listSshKeys, type SshKey } from '@innkeeper/contract/ssh-keys'
import { Box, Button, FileButton, Modal, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconFile } from '@tabler/icons-react'
import { use } from 'react'
import { ShowErrorContext, useApiMutation } from '../../api/use-api-mutation.ts'
import { applyError } from '../../forms/apply-error.ts'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { fieldByCode } from './field-by-code.ts'

const emptyValues = { key: '', name: '', password: '' }
type Values = typeof emptyValues
type Field = keyof Values

/** In bytes; no public key is longer. */
const maxFileSize = 16_384

interface AddSshKeyProps {
  readonly onClose: () => void
  readonly onAdded: (key: SshKey) => void
}

/** Adds a public key, pasted or read from a file. Requires the current password. */
export function AddSshKey({ onClose, onAdded }: AddSshKeyProps) {
  const t = useT()
  const showError = use(ShowErrorContext)
  const add = useApiMutation(addSshKey, { silent: true, invalidates: [listSshKeys] })
  const required = (label: string) => (value: string) =>
    value.trim() === '' ? t('errors.ErrFieldRequired', { field: label }) : null
  const form = useForm<Values>({
    initialValues: emptyValues,
    validate: { key: required(t('common.PublicKey')), password: required(t('account.CurrentPassword')) },
  })

  const focus = (field: Field) => form.getInputNode(field)?.focus()
  const submit = async ({ key, name, password }: Values) => {
    const label = name.trim()
    try {
      onAdded(await add.mutateAsync({ body: { key, password, ...(label === '' ? {} : { name: label }) } }))
    } catch (error) {
      const applied = applyError(error, {
        t,
        fields: ['key', 'name', 'password'],
        fieldByCode,
        messages: { ErrInvalidCredentials: t('account.WrongPassword') },
      })
      if (applied.type !== 'field') return showError(error)
      form.setFieldError(applied.field, applied.message)
      focus(applied.field)
    }
  }
  const readFile = async (file: File | null) => {
    if (file) form.setFieldValue('key', (await file.slice(0, maxFileSize).text()).trim())
  }
  const focusFirstError = (errors: object) => {
    const [first] = Object.keys(errors) as Field[]
    if (first) focus(first)
  }

  return (
    <Modal opened onClose={onClose} title={t('account.AddKey')}>
      <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)} aria-label={t('account.AddKey')}>
        <Stack>
          <Box>
            <Textarea
              {...form.getInputProps('key')}
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
            {...form.getInputProps('name')}
            label={t('common.Name')}
            description={t('account.KeyNameHint')}
            maxLength={100}
            autoComplete="off"
          />
          <PasswordInput
            {...form.getInputProps('password')}
            label={t('account.CurrentPassword')}
            autoComplete="current-password"
          />
          <DialogButtons onCancel={onClose} type="submit" loading={add.isPending}>
            {t('account.AddKey')}
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  )
}
