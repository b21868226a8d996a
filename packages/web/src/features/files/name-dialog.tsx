import { Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { isRefusal } from '../../api/request.ts'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { useShowError } from '../../ui/toast.tsx'
import { type ExistingNames, validateName } from './names.ts'

interface NameDialogProps {
  readonly title: string
  /** The text of the submit button. */
  readonly action: string
  /** The current name. Its stem is selected, so that typing keeps the extension. */
  readonly name?: string
  readonly existing: ExistingNames
  /** Rejects with the `Refusal` if it failed. */
  readonly onSubmit: (name: string) => Promise<void>
  readonly onClose: () => void
}

/** Asks for the name of a new file or folder, or for another name. */
export function NameDialog({ title, action, name: initialName = '', existing, onSubmit, onClose }: NameDialogProps) {
  const t = useT()
  const showError = useShowError()
  const validate = (name: string) => (name === initialName ? undefined : validateName(name, existing))
  const form = useForm({ initialValues: { name: initialName } })
  const { name } = form.values
  const error = validate(name)

  const submit = form.onSubmit(async () => {
    if (name === '' || error !== undefined) return
    if (name === initialName) return onClose()
    try {
      await onSubmit(name)
      onClose()
    } catch (refusal) {
      if (isRefusal(refusal, 'ErrFileExists', 'ErrIllegalFileAccess', 'ErrNotAFile', 'ErrFileNotFound')) {
        form.setFieldError('name', errorMessage(t, refusal))
      } else showError(refusal)
    }
  })
  return (
    <Modal opened onClose={onClose} title={title}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            label={t('common.Name')}
            dir="auto"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            {...form.getInputProps('name')}
            onFocus={({ currentTarget }) => {
              const dot = initialName.lastIndexOf('.')
              currentTarget.setSelectionRange(0, dot > 0 ? dot : initialName.length)
            }}
            error={error === undefined ? form.errors.name : t(error)}
          />
          <DialogButtons
            onCancel={onClose}
            type="submit"
            loading={form.submitting}
            disabled={name === '' || error !== undefined}
          >
            {action}
          </DialogButtons>
        </Stack>
      </form>
    </Modal>
  )
}
