import {
  type AlertChannel,
  alertTypes,
  type ChannelChange,
  createAlertChannel,
  putAlertChannel,
  serverAlertTypes,
} from '@innkeeper/contract/alerts/alerts'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import { refetchOrThrow } from '../../api/use-api.ts'
import { type Saved, useSaveForm } from '../../forms/use-save-form.ts'
import { schemaErrors } from '../../forms/validation.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { localTimezone } from '../../i18n/zoned-time.ts'
import { useAlertChannels, useSaveChannel } from './use-alert-channels.ts'

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
  /** Has no input: it is kept, or that of the browser. */
  readonly timezone: string
  readonly isEnabled: boolean
}

const labels = {
  name: 'common.Name',
  type: 'common.Type',
  alerts: 'alerts.On',
  diskFullPercent: 'alerts.DiskFullPercent',
  servers: 'alerts.Servers',
  isQuiet: 'alerts.Quiet',
  from: 'alerts.From',
  to: 'alerts.To',
  timezone: 'alerts.Quiet',
  isEnabled: 'alerts.Enabled',
} as const satisfies Record<Exclude<keyof ChannelForm, 'target'>, TranslationKey>

/** What channels of a server, or of the administrators, can be about. */
export const alertTypesFor = (server: string | undefined) => (server === undefined ? alertTypes : serverAlertTypes)

type FormSource = Pick<ChannelFormOptions, 'channel' | 'server' | 'firstType'>

function toForm({ channel, server, firstType = 'webhook' }: FormSource): ChannelForm {
  const { name = '', type = firstType, target = '', servers = [], quietHours, isEnabled = true } = channel ?? {}
  const { from = '22:00', to = '07:00', timezone = localTimezone() } = quietHours ?? {}
  const alerts = channel?.alerts ?? [...alertTypesFor(server)]
  const diskFullPercent = channel?.diskFullPercent ?? limits.diskFullPercent
  const rules = { alerts, diskFullPercent, servers, isQuiet: Boolean(quietHours), from, to, timezone }
  return { name, type, target, ...rules, isEnabled }
}

function toSaved(source: FormSource): Saved<ChannelForm> {
  return { values: toForm(source), version: source.channel?.version }
}

/**
 * Without the target where the channel keeps it: it was not edited, or it is hidden. Who saves a paused channel with its
 * target takes it over.
 */
function toInput({ isQuiet, from, to, timezone, target, ...values }: ChannelForm, channel: AlertChannel | null) {
  const isUnchanged = channel?.type === values.type && target === (channel.target ?? '')
  const isKept = isUnchanged && (channel.paused === undefined || target === '')
  const input: ChannelChange = { ...values, quietHours: isQuiet ? { from, to, timezone } : null }
  return isKept ? input : { ...input, target }
}

interface ChannelFormOptions {
  /** `null` for a new one. */
  readonly channel: AlertChannel | null
  readonly server: string | undefined
  /** The type that a new one has at first. */
  readonly firstType?: ChannelForm['type'] | undefined
  /** `isClean` is false when edits were made during the save. */
  readonly onSaved: (isClean: boolean) => void
}

/** The form of the dialog that adds or edits a channel. */
export function useChannelForm({ channel, server, firstType, onSaved }: ChannelFormOptions) {
  const t = useT()
  const { list } = useFormatters()
  const channels = useAlertChannels(server)
  const save = useSaveChannel(server)
  const getLabel = (field: keyof ChannelForm, { type }: ChannelForm): string => {
    if (field === 'target') return t(type === 'mail' ? 'common.Email' : 'alerts.Url')
    return t(labels[field])
  }
  const form = useSaveForm<ChannelForm>({
    id: `alert-channel-${server ?? 'panel'}-${channel?.id ?? 'new'}`,
    saved: toSaved({ channel, server, firstType }),
    // Save also closes the dialog when nothing was edited.
    allowUnchanged: true,
    // The URL is a secret: it is enough to post to the channel.
    isSecret: (field) => field === 'target',
    normalize: (values) => ({ ...values, name: values.name.trim(), target: values.target.trim() }),
    getLabel,
    formatValue: (field, value) => {
      if (field === 'alerts') return list((value as ChannelForm['alerts']).map((alert) => t(`alerts.On_${alert}`)))
      if (Array.isArray(value)) return list(value)
      return typeof value === 'boolean' ? t(value ? 'common.On' : 'common.Off') : String(value)
    },
    validate: (values) =>
      schemaErrors<ChannelForm>((channel ? putAlertChannel : createAlertChannel).body, toInput(values, channel), {
        t,
        getLabel: (field) => getLabel(field, values),
      }),
    reload: async () => {
      const current = (await refetchOrThrow(channels)).find(({ id }) => id === channel?.id)
      if (!current) throw new Refusal('ErrNotFound')
      return toSaved({ channel: current, server, firstType })
    },
    send: ({ values, version }) => save(channel?.id, toInput(values, channel), version),
    onSaved: (_, isClean) => onSaved(isClean),
  })
  return form
}
