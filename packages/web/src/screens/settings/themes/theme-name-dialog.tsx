import { ThemeName } from '@innkeeper/contract/settings/themes'
import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { SubmitDialog } from '../../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../../forms/use-submit-form.ts'
import { useT } from '../../../i18n/i18n.tsx'

interface ThemeNameDialogProps {
  readonly title: string
  readonly initialName: string
  readonly action: string
  readonly send: (name: string) => Promise<unknown>
  readonly onClose: () => void
  /** Shown below the name. */
  readonly children?: ReactNode
}

/** Asks for the name of a theme. */
export function ThemeNameDialog({ initialName, send, children, ...dialog }: ThemeNameDialogProps) {
  const t = useT()
  const form = useSubmitForm({
    initialValues: { name: initialName },
    fieldByCode: { ErrDuplicateTheme: 'name' },
    validate: ({ name }) => (ThemeName.safeParse(name).success ? {} : { name: t('settings.ThemeNameRule') }),
    send: ({ name }) => send(name.trim()),
    onSaved: dialog.onClose,
  })
  return (
    <SubmitDialog form={form} {...dialog}>
      <TextInput {...form.field('name')} data-autofocus label={t('common.Name')} maxLength={40} autoComplete="off" />
      {children}
    </SubmitDialog>
  )
}
