import type { AlertChannel, AlertDelivery } from '@innkeeper/contract/alerts'
import { limits } from '@innkeeper/contract/limits'
import { Badge, Box, Divider, Group, Paper, Stack, Text, Title } from '@mantine/core'
import {
  IconBellOff,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconPencil,
  IconRefresh,
  IconSend,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { AddButton } from '../../ui/add-button.tsx'
import { CardHeader } from '../../ui/card-header.tsx'
import { useConfirm } from '../../ui/confirm.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { lazyOverlay } from '../../ui/lazy-overlay.tsx'
import { Pager } from '../../ui/pager.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { toast } from '../../ui/toast.tsx'
import { useChannelTypeName } from './channel-types.ts'
import { useAlertChannels, useAlertDeliveries, useChannelActions } from './use-alert-channels.ts'

const ChannelDialog = lazyOverlay(async () => (await import('./channel-dialog.tsx')).ChannelDialog)

interface AlertsCardProps {
  readonly id: string
  /** Shows the channels of this server, instead of those of the administrators. */
  readonly server?: string
}

/** The channels that alerts are sent to, and the recent deliveries. */
export function AlertsCard({ id, server }: AlertsCardProps) {
  const t = useT()
  const query = useAlertChannels(server)
  /** `null` for a new channel. */
  const [edited, setEdited] = useState<AlertChannel | null>()
  // While the dialog is open, it follows what is saved.
  const current = edited && (query.data?.find(({ id: known }) => known === edited.id) ?? edited)
  const isFull =
    (query.data?.length ?? 0) >= (server === undefined ? limits.alertChannels : limits.alertChannelsPerServer)

  return (
    <Paper component="section" id={id} aria-label={t('alerts.Title')} style={{ scrollMarginBlockStart: '1.25rem' }}>
      <CardHeader title={t('alerts.Title')}>
        <AddButton disabled={isFull} onClick={() => setEdited(null)}>
          {t('alerts.Add')}
        </AddButton>
      </CardHeader>
      <QueryState
        query={query}
        errorTitle={t('alerts.LoadFailed')}
        isEmpty={(channels) => channels.length === 0}
        empty={<EmptyState icon={IconBellOff} title={t('alerts.Empty')} />}
      >
        {(channels) => (
          <>
            <RowList label={t('alerts.Title')}>
              {channels.map((channel) => (
                <ChannelRow key={channel.id} channel={channel} server={server} onEdit={() => setEdited(channel)} />
              ))}
            </RowList>
            <DeliveryList server={server} channels={channels} />
          </>
        )}
      </QueryState>
      {current !== undefined && (
        <ChannelDialog server={server} channel={current} onClose={() => setEdited(undefined)} />
      )}
    </Paper>
  )
}

interface ChannelRowProps {
  readonly channel: AlertChannel
  readonly server: string | undefined
  readonly onEdit: () => void
}

function ChannelRow({ channel, server, onEdit }: ChannelRowProps) {
  const t = useT()
  const { list } = useFormatters()
  const confirm = useConfirm()
  const typeName = useChannelTypeName()
  const { name } = channel
  const actions = useChannelActions(channel.id, server, {
    onDeleted: () => toast.success(t('common.Deleted', { name })),
    onTested: ({ delivered, answer }) => {
      if (delivered) toast.success(t('alerts.TestDelivered'), { detail: answer })
      else toast.error(t('alerts.TestFailed'), { detail: answer })
    },
  })

  const confirmAndRemove = async () => {
    const isConfirmed = await confirm({ title: t('common.DeleteQuestion', { name }), body: t('alerts.RemoveBody') })
    if (isConfirmed) actions.remove()
  }
  return (
    <Group component="li" px="md" py="xs" gap="sm" wrap="nowrap">
      <Stack gap={0} flex={1} miw={0}>
        <Group gap="xs">
          <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
            <bdi>{name}</bdi>
          </Text>
          <Badge>{typeName(channel.type)}</Badge>
          {!channel.isEnabled && <Badge>{t('common.Off')}</Badge>}
        </Group>
        <Text variant="caption">{list(channel.alerts.map((type) => t(`alerts.On_${type}`)))}</Text>
      </Stack>
      <Group gap="2xs" wrap="nowrap">
        <IconButton label={t('alerts.TestOf', { name })} loading={actions.isTesting} onClick={() => actions.test()}>
          <IconSend size={17} aria-hidden data-flip />
        </IconButton>
        <IconButton label={t('common.EditNamed', { name })} onClick={onEdit}>
          <IconPencil size={17} aria-hidden />
        </IconButton>
        <IconButton
          label={t('common.DeleteNamed', { name })}
          loading={actions.isRemoving}
          onClick={() => void confirmAndRemove()}
        >
          <IconTrash size={17} aria-hidden />
        </IconButton>
      </Group>
    </Group>
  )
}

const states = {
  waiting: { text: 'settings.MailWaiting', color: 'var(--ik-unknown)', Icon: IconClock },
  sending: { text: 'settings.MailSending', color: 'var(--ik-info)', Icon: IconRefresh },
  sent: { text: 'settings.MailSent', color: 'var(--ik-online)', Icon: IconCircleCheck },
  failed: { text: 'settings.MailFailed', color: 'var(--ik-offline)', Icon: IconCircleX },
} as const

/** What was sent to the channels, newest first. */
function DeliveryList({ channels, server }: { channels: readonly AlertChannel[]; server: string | undefined }) {
  const t = useT()
  const [page, setPage] = useState(1)
  const query = useAlertDeliveries(server, page)
  return (
    <>
      <Divider />
      <Title order={3} px="md" pt="sm">
        {t('alerts.Log')}
      </Title>
      <QueryState
        query={query}
        errorTitle={t('alerts.LoadFailed')}
        isEmpty={({ deliveries }) => deliveries.length === 0}
        empty={
          <Text c="dimmed" px="md" py="sm">
            {t('alerts.LogEmpty')}
          </Text>
        }
      >
        {({ deliveries, paging }) => (
          <>
            <RowList label={t('alerts.Log')}>
              {deliveries.map((delivery) => (
                <DeliveryRow
                  key={delivery.id}
                  delivery={delivery}
                  channel={channels.find(({ id }) => id === delivery.channelId)?.name ?? ''}
                />
              ))}
            </RowList>
            <Pager paging={paging} onPage={setPage} />
          </>
        )}
      </QueryState>
    </>
  )
}

function DeliveryRow({ delivery, channel }: { delivery: AlertDelivery; channel: string }) {
  const t = useT()
  const { number, dateTime } = useFormatters()
  const { state, title, tries, answer, endedAt, createdAt, nextTryAt, isByNode } = delivery
  const { text, color, Icon } = states[state]
  return (
    <Group component="li" px="md" py="xs" gap="md" wrap="nowrap" align="flex-start">
      <Group gap="2xs" w="6.5rem" flex="none" wrap="nowrap" c={color} fz="compact" fw={500} mih="1.25rem">
        <Icon size={16} aria-hidden />
        {t(text)}
      </Group>
      <Box flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Text>
          <bdi>{title}</bdi>
        </Text>
        <Group gap="md" c="dimmed" fz="xs" style={{ rowGap: 0 }}>
          <bdi>{channel}</bdi>
          <RelativeTime time={endedAt ?? createdAt} />
          {isByNode && <span>{t('alerts.ByNode')}</span>}
          {tries > 1 && <span>{t('settings.MailTries', { count: tries, tries: number(tries) })}</span>}
          {nextTryAt !== undefined && (
            <span>{t('settings.MailNextTry', { time: dateTime(Date.parse(nextTryAt)) })}</span>
          )}
        </Group>
        {state !== 'sent' && answer !== '' && (
          <Text c="var(--ik-offline)" fz="compact" lh="1.125rem">
            {answer}
          </Text>
        )}
      </Box>
    </Group>
  )
}
