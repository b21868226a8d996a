import {
  type AlertChannel,
  type ChannelType,
  channelTypes,
  maxDiskFullPercent,
} from '@innkeeper/contract/alerts/alerts'
import { listServers } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { Checkbox, Group, MultiSelect, NativeSelect, SimpleGrid, Switch, TextInput } from '@mantine/core'
import { useApiQuery } from '../../api/use-api.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { useReturnFocus } from '../../ui/overlays/use-return-focus.ts'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { alertTypesFor, useChannelForm } from './channel-form.ts'
import { useChannelTypeName } from './channel-types.ts'

interface ChannelDialogProps {
  /** `null` for a new one. */
  readonly channel: AlertChannel | null
  readonly server: string | undefined
  /** The type that a new one has at first. */
  readonly type?: ChannelType | undefined
  readonly onClose: () => void
}

/** Adds or edits a channel. */
export function ChannelDialog({ channel, server, type: firstType, onClose }: ChannelDialogProps) {
  useReturnFocus()
  const t = useT()
  const typeName = useChannelTypeName()
  const form = useChannelForm({
    channel,
    server,
    firstType,
    onSaved: (isClean) => {
      toast.success(t('common.Saved'))
      // Edits made during the save keep the dialog open, but it must not add a second channel.
      if (isClean || channel === null) onClose()
    },
  })
  const { type, isQuiet, alerts, diskFullPercent, timezone } = form.values
  const isHidden = channel?.type === type && channel.target === undefined
  const help = isHidden ? t('alerts.KeepTarget', { host: channel.host }) : undefined
  const target =
    type === 'mail'
      ? { label: t('common.Email'), type: 'email', description: help }
      : { ...codeInputProps, label: t('alerts.Url'), description: help ?? t('alerts.UrlHelp') }

  return (
    <SubmitDialog
      form={form}
      size="lg"
      title={channel ? t('common.EditNamed', { name: channel.name }) : t('alerts.Add')}
      action={t('common.Save')}
      onClose={onClose}
    >
      <SimpleGrid minColWidth="min(100%, 14rem)" autoFlow="auto-fit">
        <TextInput {...form.field('name')} data-autofocus label={t('common.Name')} maxLength={100} autoComplete="off" />
        <NativeSelect
          {...form.field('type')}
          label={t('common.Type')}
          data={channelTypes.map((value) => ({ value, label: typeName(value) }))}
        />
      </SimpleGrid>
      <TextInput {...form.field('target')} {...target} maxLength={1000} autoComplete="off" />
      {channel && channel.secret !== '' && type === 'webhook' && (
        <TextInput
          {...codeInputProps}
          readOnly
          label={t('alerts.Secret')}
          value={channel.secret}
          rightSection={
            <CopyButton
              value={channel.secret}
              label={t('settings.CopySetting', { name: t('alerts.Secret') })}
              size={24}
            />
          }
        />
      )}
      <Checkbox.Group
        {...form.field('alerts')}
        onChange={(next) => form.set({ alerts: next as AlertChannel['alerts'] })}
        label={t('alerts.On')}
      >
        <SimpleGrid minColWidth="min(100%, 14rem)" autoFlow="auto-fit" spacing="xs" verticalSpacing="xs" mt="xs">
          {alertTypesFor(server).map((alert) => (
            <Checkbox key={alert} value={alert} label={t(`alerts.On_${alert}`)} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      {alerts.includes('diskFull') && (
        <NumberField
          {...form.field('diskFullPercent')}
          value={diskFullPercent}
          label={t('alerts.DiskFullPercent')}
          min={1}
          max={maxDiskFullPercent}
          w="100%"
        />
      )}
      {server === undefined && <ServerSelect {...form.field('servers')} />}
      <Switch
        {...form.switchField('isQuiet')}
        label={t('alerts.Quiet')}
        description={isQuiet ? t('alerts.QuietHelp', { timezone }) : undefined}
      />
      {isQuiet && (
        <Group>
          <TextInput {...form.field('from')} type="time" required label={t('alerts.From')} />
          <TextInput {...form.field('to')} type="time" required label={t('alerts.To')} />
        </Group>
      )}
      <Switch {...form.switchField('isEnabled')} label={t('alerts.Enabled')} />
    </SubmitDialog>
  )
}

function ServerSelect({ value = [], onChange }: { value?: readonly string[]; onChange?: (servers: string[]) => void }) {
  const t = useT()
  const query = useApiQuery(listServers, { query: { limit: limits.pageSizeMax } })
  return (
    <QueryState query={query} errorTitle={t('common.ServersNotLoaded')}>
      {({ servers }) => {
        const names = new Map(servers.map(({ id, name }) => [id, name]))
        return (
          <MultiSelect
            label={t('alerts.Servers')}
            description={t('alerts.ServersHelp')}
            data={[...new Set([...names.keys(), ...value])].map((id) => ({ value: id, label: names.get(id) ?? id }))}
            value={[...value]}
            onChange={(next) => onChange?.(next)}
            searchable
            maxValues={200}
          />
        )
      }}
    </QueryState>
  )
}
