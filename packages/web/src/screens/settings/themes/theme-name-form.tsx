import { ThemeName } from '@innkeeper/contract/themes'
import { Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { applyError } from '../../../forms/apply-error.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { DialogButtons } from '../../../ui/dialog-buttons.tsx'
import { useShowError } from '../../../ui/toast.tsx'

interface ThemeNameFormProps {
  readonly initialName: string
  readonly action: string
  readonly send: (name: string) => Promise<unknown>
  readonly onClose: () => void
  /** Shown below the name. */
  readonly children?: ReactNode
}

/** Asks for the name of a theme. */
export function ThemeNameForm({ initialName, action, send, onClose, children }: ThemeNameFormProps) {
  const t = useT()
  const showError = useShowError()
  const form = useForm({
    initialValues: { name: initialName },
    validateInputOnBlur: true,
    validate: { name: (name) => (ThemeName.safeParse(name).success ? null : t('settings.ThemeNameRule')) },
  })
  const submit = async ({ name }: { name: string }) => {
    try {
      await send(name.trim())
      onClose()
    } catch (error) {
      const applied = applyError(error, { t, fields: ['name'], fieldByCode: { ErrDuplicateTheme: 'name' } })
      if (applied.type === 'field') form.setFieldError('name', applied.message)
      else showError(error)
    }
  }
  return (
    <form noValidate onSubmit={form.onSubmit(submit)}>
      <Stack>
        <TextInput
          {...form.getInputProps('name')}
          data-autofocus
          label={t('common.Name')}
          maxLength={40}
          autoComplete="off"
        />
        {children}
        <DialogButtons onCancel={onClose} type="submit" loading={form.submitting}>
          {action}
        </DialogButtons>
      </Stack>
    </form>
  )
}
