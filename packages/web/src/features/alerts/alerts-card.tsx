import type { AlertChannel, ChannelType } from '@innkeeper/contract/alerts/alerts'
import { limits } from '@innkeeper/contract/text/limits'
import { Badge, Button, Divider, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconBellOff, IconPencil, IconSend, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { DocsLink } from '../../ui/layout/docs-link.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { DeliveryRow } from '../../ui/lists/delivery-row.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { lazyOverlay } from '../../ui/loading/lazy-overlay.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { useChannelTypeName } from './channel-types.ts'
import { useAlertChannels, useAlertDeliveries, useChannelActions } from './use-alert-channels.ts'

const ChannelDialog = lazyOverlay(async () => (await import('./channel-dialog.tsx')).ChannelDialog)

interface AlertsCardProps {
  readonly id: string
  /** Shows the channels of this server, instead of those of the administrators. */
  readonly server?: string
}

/** What the dialog edits; without a channel it adds one. */
interface EditedChannel {
  readonly channel?: AlertChannel
  /** Of a new one. */
  readonly type?: ChannelType
}

/** Types that have a button while there is no channel. */
const commonTypes: readonly ChannelType[] = ['discord', 'mail', 'webhook']

/** The channels that alerts are sent to, and the recent deliveries. */
export function AlertsCard({ id, server }: AlertsCardProps) {
  const t = useT()
  const query = useAlertChannels(server)
  const typeName = useChannelTypeName()
  const [edited, setEdited] = useState<EditedChannel>()
  // While the dialog is open, it follows what is saved.
  const current =
    edited?.channel && (query.data?.find(({ id: known }) => known === edited.channel?.id) ?? edited.channel)
  const isFull =
    (query.data?.length ?? 0) >= (server === undefined ? limits.alertChannels : limits.alertChannelsPerServer)

  return (
    <Paper component="section" id={id} aria-label={t('alerts.Title')} style={{ scrollMarginBlockStart: '1.25rem' }}>
      <CardHeader title={t('alerts.Title')}>
        <AddButton disabled={isFull} onClick={() => setEdited({})}>
          {t('alerts.Add')}
        </AddButton>
      </CardHeader>
      <QueryState
        query={query}
        errorTitle={t('alerts.LoadFailed')}
        isEmpty={(channels) => channels.length === 0}
        empty={
          <EmptyState
            icon={IconBellOff}
            title={t('alerts.Empty')}
            actions={commonTypes.map((type) => (
              <Button key={type} variant="default" onClick={() => setEdited({ type })}>
                {typeName(type)}
              </Button>
            ))}
          >
            {t('alerts.EmptyAbout')} <DocsLink to="alerts">{t('alerts.Docs')}</DocsLink>
          </EmptyState>
        }
      >
        {(channels) => (
          <>
            <RowList label={t('alerts.Title')}>
              {channels.map((channel) => (
                <ChannelRow key={channel.id} channel={channel} server={server} onEdit={() => setEdited({ channel })} />
              ))}
            </RowList>
            <DeliveryList server={server} channels={channels} />
          </>
        )}
      </QueryState>
      {edited && (
        <ChannelDialog
          server={server}
          channel={current ?? null}
          type={edited.type}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Paper>
  )
}

/** Who made a channel, and why it is paused. */
function ChannelOwner({ channel: { owner, paused } }: { channel: AlertChannel }) {
  const t = useT()
  const username = owner?.username ?? ''
  if (paused) {
    return (
      <Text variant="caption" c="var(--ik-offline)" style={{ overflowWrap: 'anywhere' }}>
        {t(`alerts.Paused_${paused}`, { username })}
      </Text>
    )
  }
  return (
    owner && (
      <Text variant="caption" style={{ overflowWrap: 'anywhere' }}>
        {t('alerts.MadeBy', { username })}
      </Text>
    )
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

  const confirmAndRemove = () =>
    confirm({
      title: t('common.DeleteQuestion', { name }),
      body: t('alerts.RemoveBody'),
      onConfirm: actions.remove,
    })
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
        <ChannelOwner channel={channel} />
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
                <DeliveryRow key={delivery.id} delivery={delivery} title={delivery.title} error={delivery.answer}>
                  <bdi>{channels.find(({ id }) => id === delivery.channelId)?.name}</bdi>
                  {delivery.isByNode && <span>{t('alerts.ByNode')}</span>}
                </DeliveryRow>
              ))}
            </RowList>
            <Pager paging={paging} onPage={setPage} />
          </>
        )}
      </QueryState>
    </>
  )
}
