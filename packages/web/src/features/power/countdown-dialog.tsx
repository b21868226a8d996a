import {
  CountdownMinutes,
  countdownMinutesMax,
  defaultCountdownMinutes,
} from '@innkeeper/contract/definitions/countdown'
import { maxPlayerArgumentChars } from '@innkeeper/contract/definitions/player-actions'
import { startRestartCountdown } from '@innkeeper/contract/servers/restart-countdown'
import { Text, TextInput } from '@mantine/core'
import { useApiMutation } from '../../api/use-action.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'

interface CountdownDialogProps {
  readonly server: string
  readonly onClose: () => void
}

/** Restarts a server after messages to its players. */
export function CountdownDialog({ server, onClose }: CountdownDialogProps) {
  const t = useT()
  const start = useApiMutation(startRestartCountdown)
  const form = useSubmitForm({
    id: `countdown-${server}`,
    initialValues: {
      minutes: defaultCountdownMinutes.join(', '),
      message: t('server.CountdownMessage', { minutes: '{minutes}' }),
    },
    getLabel: (field) => t(field === 'minutes' ? 'server.CountdownMinutes' : 'steps.Field_message'),
    toField: (name) => (name.startsWith('minutes') ? 'minutes' : name),
    validate: ({ minutes, message }) => ({
      minutes: CountdownMinutes.safeParse(minutes).success
        ? undefined
        : t('server.CountdownMinutesInvalid', { max: countdownMinutesMax }),
      message: message.trim() === '' ? t('errors.ErrFieldRequired', { field: t('steps.Field_message') }) : undefined,
    }),
    send: ({ minutes, message }) =>
      start.mutateAsync({
        params: { id: server },
        body: { minutes: CountdownMinutes.parse(minutes), message: message.trim() },
      }),
    onSaved: onClose,
  })
  return (
    <SubmitDialog form={form} title={t('server.CountdownTitle')} action={t('server.CountdownStart')} onClose={onClose}>
      <Text c="dimmed">{t('server.CountdownAbout')}</Text>
      <TextInput
        data-autofocus
        label={t('server.CountdownMinutes')}
        autoComplete="off"
        maxLength={200}
        {...form.field('minutes')}
      />
      <TextInput
        label={t('steps.Field_message')}
        description={t('server.CountdownMessageHelp', { minutes: '{minutes}' })}
        autoComplete="off"
        maxLength={maxPlayerArgumentChars}
        {...form.field('message')}
      />
    </SubmitDialog>
  )
}
