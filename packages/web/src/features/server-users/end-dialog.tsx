import { Text, TextInput } from '@mantine/core'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { fromLocalTime, toLocalTime } from '../../ui/fields/local-time.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import type { UserRow } from './permissions.ts'

interface EndDialogProps {
  readonly user: UserRow
  readonly setEnd: (user: UserRow, until: string | null) => Promise<void>
  readonly onClose: () => void
}

/** Sets when the access of a user ends by itself. */
export function EndDialog({ user, setEnd, onClose }: EndDialogProps) {
  const t = useT()
  const form = useSubmitForm({
    id: `access-end-${user.email}`,
    initialValues: { until: user.until === undefined ? '' : toLocalTime(user.until) },
    getLabel: () => t('server-users.EndsAt'),
    validate: ({ until }) => ({ until: findEndError(t, until) }),
    send: ({ until }) => setEnd(user, until === '' ? null : fromLocalTime(until)),
    onSaved: () => {
      toast.success(t('common.Saved'))
      onClose()
    },
  })
  return (
    <SubmitDialog
      form={form}
      title={t('server-users.EndTitle', { name: user.name })}
      action={t('common.Save')}
      onClose={onClose}
    >
      <Text c="dimmed">{t('server-users.EndAbout')}</Text>
      <TextInput
        data-autofocus
        type="datetime-local"
        label={t('server-users.EndsAt')}
        description={t('server-users.EndHelp')}
        {...form.field('until')}
      />
    </SubmitDialog>
  )
}

/** What is wrong with the end of access in an input; empty is allowed. */
export function findEndError(t: TFunction, until: string): string | undefined {
  return until !== '' && Date.parse(until) <= Date.now() ? t('server-users.EndPast') : undefined
}
