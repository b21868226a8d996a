import type { ActivityEntry, ActivityResult } from '@innkeeper/contract/activity/activity'
import type { Paging } from '@innkeeper/contract/api/paging'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { Button, Flex, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import { IconActivity, IconBan, IconChevronDown, IconChevronUp, IconCircleX } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { CardTable } from '../../ui/lists/card-table.tsx'
import { ClearFilter } from '../../ui/lists/clear-filter.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { groupBursts } from './bursts.ts'
import { getActionLabel, getErrorText, getTargetName } from './messages.ts'

export interface ActivityListProps {
  readonly list: {
    readonly data: { readonly activity: readonly ActivityEntry[]; readonly paging: Paging } | undefined
    readonly dataUpdatedAt: number
    readonly error: Refusal | null
    readonly isPending: boolean
    readonly refetch: () => unknown
  }
  /** The name of a server, if known. Without it the list is about one server and does not name it. */
  readonly getServerName?: (id: string) => string | undefined
  readonly isFiltered: boolean
  readonly onClear: () => void
  readonly onPage: (page: number) => void
}

/** A page of the audit log. */
export function ActivityList({ list, getServerName, isFiltered, onClear, onPage }: ActivityListProps) {
  const t = useT()
  return (
    <QueryState
      query={list}
      errorTitle={t('activity.LoadFailed')}
      skeleton={
        <Stack gap="md" p="md" mih="8rem" aria-busy="true">
          {[1, 2, 3, 4, 5].map((row) => (
            <Skeleton key={row} h={20} aria-label={t('common.Loading')} />
          ))}
        </Stack>
      }
      isEmpty={({ activity }) => activity.length === 0}
      empty={
        <EmptyState
          icon={IconActivity}
          title={t(isFiltered ? 'activity.NothingMatches' : 'activity.Nothing')}
          actions={isFiltered && <ClearFilter onClick={onClear} />}
        />
      }
    >
      {({ activity, paging }) => (
        <>
          <ActivityTable entries={activity} getServerName={getServerName} />
          <Pager paging={paging} onPage={onPage} />
        </>
      )}
    </QueryState>
  )
}

const noWrap = { whiteSpace: 'nowrap' } as const

interface ActivityTableProps extends Pick<ActivityListProps, 'getServerName'> {
  readonly entries: readonly ActivityEntry[]
}

function ActivityTable({ entries, getServerName }: ActivityTableProps) {
  const t = useT()
  const { date } = useFormatters()
  const columns = [
    t('activity.When'),
    t('activity.Who'),
    t('activity.What'),
    t('activity.Target'),
    t('activity.From'),
    t('activity.Result'),
  ]
  return (
    <CardTable verticalSpacing="sm" horizontalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column}>{column}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      {byDay(entries, date).map(([day, ofDay]) => (
        <Table.Tbody key={day}>
          <Table.Tr bg="var(--ik-body)">
            <Table.Th colSpan={columns.length} scope="rowgroup" fz="xs" c="dimmed" fw={500}>
              {day}
            </Table.Th>
          </Table.Tr>
          {groupBursts(ofDay).map((burst) => (
            <BurstRows key={burst[0]?.id} entries={burst} getServerName={getServerName} />
          ))}
        </Table.Tbody>
      ))}
    </CardTable>
  )
}

/** The entries of each day, in the time zone of the browser. */
const byDay = (entries: readonly ActivityEntry[], date: (time: number) => string) => [
  ...Map.groupBy(entries, ({ at }) => date(Date.parse(at))),
]

/** Entries of one burst: the newest one, and a button that shows the others below it. */
function BurstRows({ entries, getServerName }: ActivityTableProps) {
  const t = useT()
  const [isExpanded, setExpanded] = useState(false)
  const [newest, ...others] = entries
  const Chevron = isExpanded ? IconChevronUp : IconChevronDown
  return (
    <>
      {newest && (
        <EntryRow entry={newest} getServerName={getServerName}>
          {others.length > 0 && (
            <Button
              variant="subtle"
              size="compact-xs"
              ms="-xs"
              display="flex"
              aria-expanded={isExpanded}
              rightSection={<Chevron size={14} aria-hidden />}
              onClick={() => setExpanded(!isExpanded)}
            >
              {t('servers.MoreNames', { count: others.length })}
            </Button>
          )}
        </EntryRow>
      )}
      {isExpanded && others.map((entry) => <EntryRow key={entry.id} entry={entry} getServerName={getServerName} />)}
    </>
  )
}

interface EntryRowProps extends Pick<ActivityListProps, 'getServerName'> {
  readonly entry: ActivityEntry
  /** Below the action. */
  readonly children?: ReactNode
}

function EntryRow({ entry, getServerName, children }: EntryRowProps) {
  const t = useT()
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Td c="dimmed" style={{ ...noWrap, order: 1 }}>
        <RelativeTime time={entry.at} />
      </Table.Td>
      <Table.Td style={{ order: 1 }}>
        <UserName entry={entry} />
      </Table.Td>
      <Table.Td fw={500} miw="8rem" flex="1 1 50%" style={{ order: -2 }}>
        {getActionLabel(t, entry.action)}
        <RepeatCount entry={entry} />
        {children}
      </Table.Td>
      <Table.Td miw="8rem" flex="1 0 100%">
        <Target entry={entry} getServerName={getServerName} />
      </Table.Td>
      <Table.Td c="dimmed" style={noWrap}>
        <CodeText>{entry.from}</CodeText>
      </Table.Td>
      <Table.Td style={{ order: -1 }}>
        <Result entry={entry} />
      </Table.Td>
    </Table.Tr>
  )
}

/** How many equal entries this one stands for. */
function RepeatCount({ entry: { count } }: { entry: ActivityEntry }) {
  const t = useT()
  if (count === undefined) return null
  return (
    <Text variant="caption" fw={400}>
      {t('activity.Repeated', { count })}
    </Text>
  )
}

function UserName({ entry: { user } }: { entry: ActivityEntry }) {
  const t = useT()
  if (user) return <bdi>{user.username}</bdi>
  return (
    <Text span inherit c="dimmed">
      {t('activity.NoUser')}
    </Text>
  )
}

/** The server, unless the list is about one, and any other target of the action. */
function Target({ entry, getServerName }: { entry: ActivityEntry } & Pick<ActivityListProps, 'getServerName'>) {
  const t = useT()
  const { server } = entry
  const serverName = server === undefined ? undefined : getServerName?.(server)
  const target = getTargetName(t, useFormatters(), entry)
  const showsServer = getServerName !== undefined && server !== undefined
  // The target of an action on a server as a whole is its name.
  const showsTarget = target !== undefined && target !== serverName
  if (!showsServer && !showsTarget) return null
  return (
    <Flex component="span" wrap="wrap" rowGap="3xs" columnGap="sm" style={{ overflowWrap: 'anywhere' }}>
      {showsServer &&
        (serverName === undefined ? (
          <CodeText>{server}</CodeText>
        ) : (
          <Link to={`/server/${server}`}>
            <bdi>{serverName}</bdi>
          </Link>
        ))}
      {showsTarget && <bdi dir="auto">{target}</bdi>}
    </Flex>
  )
}

const results = {
  // Nearly all are done: only the others stand out.
  done: { Icon: undefined, color: 'dimmed', label: 'activity.Done' },
  refused: { Icon: IconBan, color: 'var(--ik-warning)', label: 'activity.Refused' },
  failed: { Icon: IconCircleX, color: 'var(--ik-offline)', label: 'activity.Failed' },
} as const satisfies Readonly<Record<ActivityResult, object>>

function Result({ entry: { result, code } }: { entry: ActivityEntry }) {
  const t = useT()
  const { Icon, color, label } = results[result]
  return (
    <Stack gap="3xs" align="flex-start">
      <Group component="span" gap="xs" wrap="nowrap" c={color} fz="compact" fw={500} style={noWrap}>
        {Icon && <Icon size={15} aria-hidden />}
        {t(label)}
      </Group>
      {code !== undefined && <Text variant="caption">{getErrorText(t, code)}</Text>}
    </Stack>
  )
}
