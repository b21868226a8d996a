import type { AlertChannel } from '@innkeeper/contract/alerts'
import { limits } from '@innkeeper/contract/limits'
import { Paper } from '@mantine/core'
import { IconBellOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { AddButton } from '../../ui/add-button.tsx'
import { CardHeader } from '../../ui/card-header.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { lazyOverlay } from '../../ui/lazy-overlay.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { ChannelRow } from './channel-row.tsx'
import { DeliveryList } from './delivery-list.tsx'
import { useAlertChannels } from './use-alert-channels.ts'

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
