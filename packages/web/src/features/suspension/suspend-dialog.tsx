import { getServer, getUsage, listServers } from '@innkeeper/contract/servers/servers'
import { type Suspension, suspendServer } from '@innkeeper/contract/servers/suspension'
import { limits } from '@innkeeper/contract/text/limits'
import { Text, Textarea, TextInput } from '@mantine/core'
import { useApiMutation } from '../../api/use-action.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { toast } from '../../ui/toasts/toast.tsx'

interface SuspendDialogProps {
  readonly server: { readonly id: string; readonly name: string }
  /** The suspension to change. */
  readonly suspension?: Suspension | undefined
  readonly onClose: () => void
}

/** Suspends a server, or changes the reason and the end of its suspension. */
export function SuspendDialog({ server, suspension, onClose }: SuspendDialogProps) {
  const t = useT()
  const suspend = useApiMutation(suspendServer, { invalidates: [getServer, listServers, getUsage] })
  const form = useSubmitForm({
    initialValues: { reason: suspension?.reason ?? '', until: suspension?.until ? toDate(suspension.until) : '' },
    getLabel: (field) => t(field === 'reason' ? 'server.SuspendReason' : 'server.SuspendUntil'),
    validate: ({ reason, until }) => ({
      reason: reason.trim() === '' ? t('errors.ErrFieldRequired', { field: t('server.SuspendReason') }) : undefined,
      until: until !== '' && toTime(until) <= Date.now() ? t('server.SuspendUntilPast') : undefined,
    }),
    send: ({ reason, until }) =>
      suspend.mutateAsync({
        params: { id: server.id },
        body: { reason: reason.trim(), ...(until !== '' && { until: new Date(toTime(until)).toISOString() }) },
      }),
    onSaved: ({ isOnNode }) => {
      if (isOnNode) toast.success(t('server.Suspended'))
      else toast.warning(t('server.SuspendedOffline'))
      onClose()
    },
  })
  return (
    <SubmitDialog
      form={form}
      title={t(suspension ? 'server.SuspendChange' : 'server.SuspendQuestion', { name: server.name })}
      action={t(suspension ? 'common.Save' : 'server.Suspend')}
      onClose={onClose}
    >
      {!suspension && <Text c="dimmed">{t('server.SuspendAbout')}</Text>}
      <Textarea
        data-autofocus
        label={t('server.SuspendReason')}
        description={t('server.SuspendReasonHelp')}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={limits.suspensionReasonMax}
        {...form.field('reason')}
      />
      <TextInput
        type="date"
        label={t('server.SuspendUntil')}
        description={t('server.SuspendUntilHelp')}
        {...form.field('until')}
      />
    </SubmitDialog>
  )
}

/** When a day begins here, epoch milliseconds. */
function toTime(date: string): number {
  return Date.parse(`${date}T00:00`)
}

/** The day of a time here, `2026-11-21`. */
function toDate(time: string): string {
  const moment = new Date(time)
  const parts = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}
