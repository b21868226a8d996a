import type { ServerDetail } from '@innkeeper/contract/servers/servers'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { getAddress } from '@innkeeper/contract/text/address'
import { Box, Flex, Group, Menu, Text, Title, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCopy, IconPencil } from '@tabler/icons-react'
import { use, useRef } from 'react'
import { createPortal } from 'react-dom'
import { CountdownMenu, CountdownMenuItem } from '../../features/power/countdown-menu.tsx'
import { PowerButtons, PowerMenuItems, StoppingTimer } from '../../features/power/power-buttons.tsx'
import type { Countdown } from '../../features/power/use-countdown.tsx'
import type { Power } from '../../features/power/use-power.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { type StatsStore, useServerStats } from '../../realtime/use-server-connection.ts'
import { StatusLabel, toDisplayStatus } from '../../ui/feedback/status.tsx'
import { useNow } from '../../ui/hooks/use-now.ts'
import { LayoutContext, useFocusHeading } from '../../ui/layout/page.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import classes from './server.module.css'

interface HeaderProps {
  readonly server: ServerDetail
  readonly power: Power
  readonly status: ServerStatus | undefined
  readonly countdown: Countdown
  readonly canRename: boolean
  readonly onRename: () => void
}

interface SinceProps extends Pick<HeaderProps, 'status' | 'power'> {
  /** What to show of a server that is up. */
  readonly of: readonly ('duration' | 'time')[]
}

/** How long the server has been up, or since when it is in another status; during a stop, how long that takes already. */
function Since({ status, power, of }: SinceProps) {
  const t = useT()
  const { longDuration, shortTime, shortDateTime } = useFormatters()
  const since = Date.parse(status?.since ?? '')
  const now = useNow(since)
  if (!status || Number.isNaN(since)) return null
  const isStopping = power.displayStatus === 'stopping' || power.displayStatus === 'restarting'
  if (status.state === 'stopping' && isStopping) return <StoppingTimer since={status.since} />
  if (toDisplayStatus(status) !== power.displayStatus) return null
  const isToday = new Date(since).toDateString() === new Date().toDateString()
  const time = isToday ? shortTime(since) : shortDateTime(since)
  const texts = {
    duration: t('server.Up', { duration: longDuration(now - since) }),
    time: t('server.Since', { time }),
  }
  return (power.displayStatus === 'online' ? of : (['time'] as const)).map((part) => (
    <Text key={part} component="time" inherit dateTime={status.since}>
      {texts[part]}
    </Text>
  ))
}

/** Status, name, address and power buttons of the server, above the tabs. */
export function ServerHeader({ server, power, status, countdown, canRename, onRename }: HeaderProps) {
  const t = useT()
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusHeading(heading)
  const address = getAddress(server)

  return (
    <Box component="header" className={classes.header} data-keep-clear>
      <Flex className={classes.title} align="center" gap="sm">
        <span role="status">
          <StatusLabel state={power.displayStatus} />
        </span>
        <Title order={1} ref={heading} tabIndex={-1} miw={0} lineClamp={1}>
          {server.name}
        </Title>
        {canRename && (
          <IconButton label={t('server.Rename')} size={28} onClick={onRename}>
            <IconPencil size={16} aria-hidden />
          </IconButton>
        )}
      </Flex>
      <Flex className={classes.facts} align="center" gap="xs" c="dimmed" fz="compact">
        <Group className={classes.address} gap="2xs" wrap="nowrap">
          <CodeText truncate>{address}</CodeText>
          <CopyButton value={address} label={t('common.CopyAddress')} size={24} />
        </Group>
        <span>{server.node.name}</span>
        {server.template && <span>{server.template.display ?? server.template.name}</span>}
        <Since status={status} power={power} of={['duration', 'time']} />
      </Flex>
      <div className={classes.power}>
        <PowerButtons power={power}>
          <CountdownMenu countdown={countdown} />
        </PowerButtons>
      </div>
    </Box>
  )
}

interface ServerPhoneHeaderProps extends HeaderProps {
  /** The power buttons are above the console; on the other tabs the actions are in the menu. */
  readonly hasPowerRow: boolean
  /** Absent without permission to see them. */
  readonly stats: StatsStore | undefined
}

/** The header of a phone: all of it is in the top bar. */
export function ServerPhoneHeader({
  server,
  power,
  status,
  countdown,
  canRename,
  onRename,
  hasPowerRow,
  stats,
}: ServerPhoneHeaderProps) {
  const t = useT()
  const { phoneSlots } = use(LayoutContext)
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusHeading(heading)
  const { copy } = useClipboard()

  return (
    <>
      <VisuallyHidden component="h1" ref={heading} tabIndex={-1}>
        {server.name}
      </VisuallyHidden>
      {phoneSlots.subtitle &&
        createPortal(
          <Group className={classes.phoneStatus} gap="xs" wrap="nowrap" fz="xs" c="var(--ik-subtle)">
            <span role="status">
              <StatusLabel state={power.displayStatus} />
            </span>
            <Text inherit truncate>
              {hasPowerRow && stats && status?.running ? (
                <LiveUsage stats={stats} fallback={server.node.name} />
              ) : (
                server.node.name
              )}
            </Text>
            <Since status={status} power={power} of={['duration']} />
          </Group>,
          phoneSlots.subtitle,
        )}
      {phoneSlots.actions &&
        createPortal(
          <IconMenu label={t('common.More')} size={44}>
            {status?.state === 'online' && (
              <Menu.Label>
                <Since status={status} power={power} of={['time']} />
              </Menu.Label>
            )}
            <PowerMenuItems power={power} serverName={server.name} only={hasPowerRow ? ['install'] : undefined} />
            <CountdownMenuItem countdown={countdown} />
            {canRename && (
              <Menu.Item leftSection={<IconPencil size={18} aria-hidden />} onClick={onRename}>
                {t('server.Rename')}
              </Menu.Item>
            )}
            <Menu.Item
              leftSection={<IconCopy size={18} aria-hidden />}
              onClick={() => {
                copy(getAddress(server))
                toast.success(t('common.Copied'))
              }}
            >
              {t('common.CopyAddress')}
            </Menu.Item>
          </IconMenu>,
          phoneSlots.actions,
        )}
    </>
  )
}

/** CPU and memory now; the fallback until they are measured. */
function LiveUsage({ stats, fallback }: { stats: StatsStore; fallback: string }) {
  const t = useT()
  const { fileSize, percent } = useFormatters()
  const latest = useServerStats(stats).at(-1)
  if (!latest || latest.isBlank) return fallback
  return t('server.UsageSummary', { cpu: percent(latest.cpu), memory: fileSize(latest.memory) })
}
