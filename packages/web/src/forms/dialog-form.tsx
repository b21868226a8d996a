import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { DialogButtons } from '../ui/overlays/dialog-buttons.tsx'
import { SaveForm } from './save-form.tsx'
import type { FormState } from './use-save-form.ts'

export interface DialogFormProps {
  readonly form: FormState
  /** Label of the button that sends the form. */
  readonly action: string
  readonly canSave?: boolean
  /** Whether it deletes or overwrites something. */
  readonly isDestructive?: boolean | undefined
  /** Closes the dialog, after asking about what was entered. */
  readonly onCancel: () => void
  readonly children: ReactNode
}

/** The form that fills a dialog. Its last line has the buttons. */
export function DialogForm(props: DialogFormProps) {
  const { form, action, canSave = true, isDestructive = false, onCancel, children } = props
  return (
    <SaveForm form={form}>
      <Stack gap="md">
        {children}
        <DialogButtons
          type="submit"
          onCancel={onCancel}
          {...(isDestructive && { color: 'red' })}
          disabled={!canSave}
          loading={form.isSaving}
        >
          {action}
        </DialogButtons>
      </Stack>
    </SaveForm>
  )
}
