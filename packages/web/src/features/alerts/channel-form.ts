import {
  type AlertChannel,
  alertTypes,
  type ChannelInput,
  createAlertChannel,
  serverAlertTypes,
} from '@innkeeper/contract/alerts'
import { limits } from '@innkeeper/contract/limits'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { schemaErrors } from '../../forms/validation.ts'
import { useT } from '../../i18n/i18n.tsx'
import { localTimezone } from '../../i18n/zoned-time.ts'
import { useSaveChannel } from './use-alert-channels.ts'

/** A channel as the dialog edits it. */
export interface ChannelForm {
  readonly name: string
  readonly type: AlertChannel['type']
  readonly target: string
  readonly alerts: AlertChannel['alerts']
  readonly diskFullPercent: number
  readonly servers: string[]
  readonly isQuiet: boolean
  readonly from: string
  readonly to: string
  readonly isEnabled: boolean
}

const fields = ['name', 'target', 'alerts', 'diskFullPercent', 'servers', 'from', 'to'] as const

/** What channels of a server, or of the administrators, can be about. */
export const alertTypesFor = (server: string | undefined) => (server === undefined ? alertTypes : serverAlertTypes)

function toForm(channel: AlertChannel | null, server: string | undefined): ChannelForm {
  const { name = '', type = 'webhook', target = '', servers = [], quietHours, isEnabled = true } = channel ?? {}
  const { from = '22:00', to = '07:00' } = quietHours ?? {}
  const alerts = channel?.alerts ?? [...alertTypesFor(server)]
  const diskFullPercent = channel?.diskFullPercent ?? limits.diskFullPercent
  return { name, type, target, alerts, diskFullPercent, servers, isQuiet: Boolean(quietHours), from, to, isEnabled }
}

interface ChannelFormOptions {
  /** `null` for a new one. */
  readonly channel: AlertChannel | null
  readonly server: string | undefined
  readonly onSaved: () => void
}

/** The form of the dialog that adds or edits a channel. */
export function useChannelForm({ channel, server, onSaved }: ChannelFormOptions) {
  const t = useT()
  const timezone = channel?.quietHours?.timezone ?? localTimezone()
  const save = useSaveChannel(server)

  const toInput = ({ isQuiet, from, to, ...values }: ChannelForm): ChannelInput => ({
    ...values,
    quietHours: isQuiet ? { from, to, timezone } : null,
  })
  const getLabel = (field: keyof ChannelForm, { type }: ChannelForm) => {
    if (field === 'name') return t('common.Name')
    if (field === 'alerts') return t('alerts.On')
    if (field === 'diskFullPercent') return t('alerts.DiskFullPercent')
    return t(type === 'mail' ? 'common.Email' : 'alerts.Url')
  }
  const form = useSubmitForm<ChannelForm>({
    initialValues: toForm(channel, server),
    fields,
    getLabel,
    validate: (values) =>
      schemaErrors<ChannelForm>(createAlertChannel.body, toInput(values), {
        t,
        getLabel: (field) => getLabel(field, values),
      }),
    send: async (values) => {
      await save(channel?.id, toInput(values))
      onSaved()
    },
  })
  return { form, timezone }
}
