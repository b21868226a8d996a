import { addressOf } from '@innkeeper/contract/address'
import type { ListedServer } from '@innkeeper/contract/servers'
import { Anchor, Box, Checkbox, Group, List, Skeleton, Text } from '@mantine/core'
import { IconStarFilled } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { usePinnedServers } from '../../session/preferences.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { StatusIcon, statusLabel } from '../../ui/status.tsx'
import type { Selection } from '../../ui/use-selection.ts'
import { PowerIconButton } from './power-icon-button.tsx'
import { getRenderedRows, type RowAttributes, type ServerListProps, type ServerRow, toRow } from './server-list.ts'
import { ServerMenu } from './server-menu.tsx'
import classes from './servers.module.css'

interface PhoneListProps extends ServerListProps {
  /** Absent unless select mode is on. */
  readonly selection: Selection<ListedServer> | undefined
}

/** Servers as rows of three lines, each with at most one power button. */
export function PhoneList({ selection, ...list }: PhoneListProps) {
  return (
    <List listStyleType="none" className={classes.phoneList}>
      {list.rendered && <li aria-hidden style={{ blockSize: list.rendered.before }} />}
      {getRenderedRows(list).map(({ index, server }) => {
        const attributes = list.rendered && { 'aria-posinset': index + 1, 'aria-setsize': list.rows.length }
        return server ? (
          <PhoneRow key={server.id} row={toRow(server, list)} {...{ selection, attributes }} />
        ) : (
          <Group key={index} component="li" px="md" h="4.75rem" {...attributes}>
            <Skeleton h={12} maw="12rem" />
          </Group>
        )
      })}
      {list.rendered && <li aria-hidden style={{ blockSize: list.rendered.after }} />}
    </List>
  )
}

interface PhoneRowProps extends Pick<PhoneListProps, 'selection'> {
  readonly row: ServerRow
  readonly attributes: RowAttributes | undefined
}

function PhoneRow({ row, selection, attributes }: PhoneRowProps) {
  const { server, status, usage: { stats, lastKnown, cpuMax } = {}, cpu, available, run } = row
  const { id, name } = server
  const t = useT()
  const { relative, percent, fileSize } = useFormatters()
  const { pinned } = usePinnedServers()
  const facts = [statusLabel(t, status)]
  if (lastKnown) {
    const ago = relative(Date.parse(lastKnown.seenAt))
    facts.push(t('servers.LastKnown', { state: statusLabel(t, lastKnown.state), ago }))
  }
  if (stats) facts.push(t('servers.CpuShort', { percent: percent(stats.cpu) }), fileSize(stats.memory))
  facts.push(...server.tags)

  return (
    <Group
      component="li"
      gap="0.625rem"
      ps="md"
      pe="0.375rem"
      py="0.6875rem"
      mih="4.75rem"
      wrap="nowrap"
      {...attributes}
    >
      {selection ? (
        <Checkbox
          aria-label={t('common.SelectNamed', { name })}
          checked={selection.has(id)}
          onChange={() => selection.toggle(id)}
        />
      ) : (
        <Box component="span" w="1rem" pt="2xs" style={{ alignSelf: 'flex-start' }}>
          <StatusIcon state={status} />
        </Box>
      )}
      <Anchor component={Link} to={`/server/${id}`} c="inherit" underline="never" flex={1} miw={0}>
        <Group component="span" gap="0.375rem" wrap="nowrap">
          <Text span truncate dir="auto" fz="0.9375rem" lh="1.25rem" fw={500}>
            {name}
          </Text>
          {pinned.includes(id) && (
            <IconStarFilled
              size={13}
              color="var(--ik-highlight)"
              aria-label={t('servers.Pinned')}
              className={classes.pinned}
            />
          )}
        </Group>
        <Text display="block" span truncate dir="ltr" fz="xs" lh="1.0625rem" c="dimmed">
          <CodeText>{addressOf(server)}</CodeText>
        </Text>
        <Text display="block" span truncate fz="xs" lh="1rem" c="var(--ik-subtle)">
          {facts.join(' · ')}
        </Text>
      </Anchor>
      {stats && <Sparkline values={cpu} max={cpuMax ?? 100} color="var(--ik-chart-1)" width={52} height={26} />}
      {available.includes('start') && (
        <PowerIconButton action="start" name={name} size={44} onClick={() => run('start')} />
      )}
      <ServerMenu row={row} isPhone />
    </Group>
  )
}
