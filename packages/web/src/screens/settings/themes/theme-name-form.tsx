import { ThemeName } from '@innkeeper/contract/themes'
import { Stack, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { SubmitForm } from '../../../forms/submit-form.tsx'
import { useSubmitForm } from '../../../forms/use-submit-form.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { DialogButtons } from '../../../ui/dialog-buttons.tsx'

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
  const form = useSubmitForm({
    initialValues: { name: initialName },
    fieldByCode: { ErrDuplicateTheme: 'name' },
    validate: ({ name }) => (ThemeName.safeParse(name).success ? {} : { name: t('settings.ThemeNameRule') }),
    send: async ({ name }) => {
      await send(name.trim())
      onClose()
    },
  })
  return (
    <SubmitForm form={form}>
      <Stack>
        <TextInput {...form.field('name')} data-autofocus label={t('common.Name')} maxLength={40} autoComplete="off" />
        {children}
        <DialogButtons onCancel={onClose} type="submit" loading={form.isSaving}>
          {action}
        </DialogButtons>
      </Stack>
    </SubmitForm>
  )
}
