import { Modal } from '@mantine/core'
import { DialogForm, type DialogFormProps } from './dialog-form.tsx'
import { useCloseDialog } from './use-close-dialog.ts'

interface SubmitDialogProps extends Omit<DialogFormProps, 'onCancel'> {
  readonly title: string
  readonly onClose: () => void
}

/** The dialog of `useSubmitForm`. It asks before it closes with input that was not sent. */
export function SubmitDialog({ title, onClose, ...form }: SubmitDialogProps) {
  const close = useCloseDialog(form.form, onClose)
  return (
    <Modal opened onClose={close} title={title}>
      <DialogForm {...form} onCancel={close} />
    </Modal>
  )
}
