import type { AlertChannel, AlertDelivery } from '@innkeeper/contract/alerts'
import { Box, Divider, Group, Text, Title } from '@mantine/core'
import { IconCircleCheck, IconCircleX, IconClock, IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { Pager } from '../../ui/pager.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { useAlertDeliveries } from './use-alert-channels.ts'

const states = {
  waiting: { text: 'settings.MailWaiting', color: 'var(--ik-unknown)', Icon: IconClock },
  sending: { text: 'settings.MailSending', color: 'var(--ik-info)', Icon: IconRefresh },
  sent: { text: 'settings.MailSent', color: 'var(--ik-online)', Icon: IconCircleCheck },
  failed: { text: 'settings.MailFailed', color: 'var(--ik-offline)', Icon: IconCircleX },
} as const

/** What was sent to the channels, newest first. */
export function DeliveryList({ channels, server }: { channels: readonly AlertChannel[]; server: string | undefined }) {
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
