import { Modal, Stack, TextInput } from '@mantine/core'
import { SubmitForm } from '../../forms/submit-form.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
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

/** Error codes that are about the name. */
const nameCodes = {
  ErrFileExists: 'name',
  ErrIllegalFileAccess: 'name',
  ErrNotAFile: 'name',
  ErrFileNotFound: 'name',
} as const

/** Asks for the name of a new file or folder, or for another name. */
export function NameDialog({ title, action, name: initialName = '', existing, onSubmit, onClose }: NameDialogProps) {
  const t = useT()
  const validate = (name: string) => (name === initialName ? undefined : validateName(name, existing))
  const form = useSubmitForm({
    initialValues: { name: initialName },
    fieldByCode: nameCodes,
    send: async ({ name }) => {
      if (name === '' || validate(name) !== undefined) return
      if (name !== initialName) await onSubmit(name)
      onClose()
    },
  })
  const { name } = form.values
  const error = validate(name)

  return (
    <Modal opened onClose={onClose} title={title}>
      <SubmitForm form={form}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            label={t('common.Name')}
            dir="auto"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            {...form.field('name')}
            onFocus={({ currentTarget }) => {
              const dot = initialName.lastIndexOf('.')
              currentTarget.setSelectionRange(0, dot > 0 ? dot : initialName.length)
            }}
            error={error === undefined ? form.errors.name : t(error)}
          />
          <DialogButtons
            onCancel={onClose}
            type="submit"
            loading={form.isSubmitting}
            disabled={name === '' || error !== undefined}
          >
            {action}
          </DialogButtons>
        </Stack>
      </SubmitForm>
    </Modal>
  )
}
