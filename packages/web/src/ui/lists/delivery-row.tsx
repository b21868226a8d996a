import { Box, Flex, Group, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleX, IconClock, IconRefresh, type TablerIcon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { RelativeTime } from '../text/relative-time.tsx'

/** An email or alert that is sent again until it succeeds. Times are ISO 8601. */
interface Delivery {
  readonly state: 'waiting' | 'sending' | 'sent' | 'failed'
  readonly tries: number
  readonly createdAt: string
  readonly endedAt?: string | undefined
  readonly nextTryAt?: string | undefined
}

interface StateDisplay {
  readonly name: TranslationKey
  readonly color: string
  readonly Icon: TablerIcon
}

export const deliveryStates: Readonly<Record<Delivery['state'], StateDisplay>> = {
  waiting: { name: 'settings.MailWaiting', color: 'var(--ik-unknown)', Icon: IconClock },
  sending: { name: 'settings.MailSending', color: 'var(--ik-info)', Icon: IconRefresh },
  sent: { name: 'settings.MailSent', color: 'var(--ik-online)', Icon: IconCircleCheck },
  failed: { name: 'settings.MailFailed', color: 'var(--ik-offline)', Icon: IconCircleX },
}

interface DeliveryRowProps {
  readonly delivery: Delivery
  readonly title: string
  /** Why the last attempt failed. */
  readonly error: string | undefined
  /** Facts below the title. */
  readonly children: ReactNode
  readonly action?: ReactNode
}

/** A row of a list of deliveries: its state, what it is about, and its attempts. */
export function DeliveryRow({ delivery, title, error, children, action }: DeliveryRowProps) {
  const t = useT()
  const { number, dateTime } = useFormatters()
  const { state, tries, createdAt, endedAt, nextTryAt } = delivery
  const { name, color, Icon } = deliveryStates[state]
  return (
    <Group component="li" wrap="nowrap" px="md" py="sm" align="center">
      <Flex flex={1} miw={0} direction={{ base: 'column', xs: 'row' }} gap={{ base: '2xs', xs: 'md' }}>
        <Group gap="2xs" w="7rem" flex="none" wrap="nowrap" c={color} fz="compact" fw={500} mih="1.25rem">
          <Icon size={16} aria-hidden />
          {t(name)}
        </Group>
        <Box flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
          <Text fw={500}>
            <bdi>{title}</bdi>
          </Text>
          <Group gap="md" c="dimmed" fz="xs" style={{ rowGap: 0 }}>
            {children}
            <RelativeTime time={endedAt ?? createdAt} />
            {tries > 1 && <span>{t('settings.MailTries', { count: tries, tries: number(tries) })}</span>}
            {state === 'waiting' && tries > 0 && nextTryAt !== undefined && (
              <span>{t('settings.MailNextTry', { time: dateTime(Date.parse(nextTryAt)) })}</span>
            )}
          </Group>
          {state !== 'sent' && error && (
            <Text c="var(--ik-offline)" fz="compact" lh="1.125rem">
              {error}
            </Text>
          )}
        </Box>
      </Flex>
      {action}
    </Group>
  )
}
