import {
  type AlertChannel,
  alertTypes,
  type ChannelInput,
  createAlertChannel,
  listAlertChannels,
  putAlertChannel,
} from '@innkeeper/contract/alerts'
import { useForm } from '@mantine/form'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { applyError } from '../../../forms/apply-error.ts'
import { schemaErrors } from '../../../forms/validation.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { useShowError } from '../../../ui/toast.tsx'

/** A channel as the dialog edits it. */
export interface ChannelForm {
  readonly name: string
  readonly type: AlertChannel['type']
  readonly target: string
  readonly alerts: AlertChannel['alerts']
  readonly servers: string[]
  readonly isQuiet: boolean
  readonly from: string
  readonly to: string
  readonly isEnabled: boolean
}

const fields = ['name', 'target', 'alerts', 'servers', 'from', 'to'] as const

/** The time zone of the browser, for the quiet hours of a new channel. */
export const ownTimezone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

function toForm(channel: AlertChannel | null): ChannelForm {
  const { name = '', type = 'webhook', target = '', servers = [], quietHours, isEnabled = true } = channel ?? {}
  const { from = '22:00', to = '07:00' } = quietHours ?? {}
  const alerts = channel?.alerts ?? [...alertTypes]
  return { name, type, target, alerts, servers, isQuiet: Boolean(quietHours), from, to, isEnabled }
}

/** The form of the dialog that adds or edits a channel. */
export function useChannelForm(channel: AlertChannel | null, onSaved: () => void) {
  const t = useT()
  const showError = useShowError()
  const timezone = channel?.quietHours?.timezone ?? ownTimezone()
  const options = { silent: true, invalidates: [listAlertChannels] }
  const create = useApiMutation(createAlertChannel, options)
  const replace = useApiMutation(putAlertChannel, options)

  const toInput = ({ isQuiet, from, to, ...values }: ChannelForm): ChannelInput => ({
    ...values,
    quietHours: isQuiet ? { from, to, timezone } : null,
  })
  const labels: Partial<Record<keyof ChannelForm, string>> = {
    name: t('common.Name'),
    alerts: t('alerts.On'),
  }
  const form = useForm<ChannelForm>({
    initialValues: toForm(channel),
    validate: (values) => ({
      ...schemaErrors<ChannelForm>(createAlertChannel.body, toInput(values), {
        t,
        getLabel: (field) => labels[field] ?? t(values.type === 'mail' ? 'common.Email' : 'alerts.Url'),
      }),
    }),
  })

  const send = async (values: ChannelForm) => {
    const body = toInput(values)
    try {
      if (channel) await replace.mutateAsync({ params: { id: channel.id }, body })
      else await create.mutateAsync({ body })
      onSaved()
    } catch (error) {
      const getLabel = (field: (typeof fields)[number]) =>
        labels[field] ?? t(values.type === 'mail' ? 'common.Email' : 'alerts.Url')
      const applied = applyError(error, { t, fields, getLabel })
      if (applied.type === 'field') form.setFieldError(applied.field, applied.message)
      else showError(error)
    }
  }
  return { form, timezone, onSubmit: form.onSubmit(send) }
}
