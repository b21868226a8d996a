import { addressOf } from '@innkeeper/contract/address'
import type { ServerSort, ServerView } from '@innkeeper/contract/servers'
import {
  ActionIcon,
  Anchor,
  Checkbox,
  Group,
  Progress,
  Table,
  Text,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconStar, IconStarFilled, IconTerminal2 } from '@tabler/icons-react'
import { type MouseEvent, type ReactNode, useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import { useRowHotkeys } from '../../hotkeys/use-row-hotkeys.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { usePinnedServers } from '../../session/preferences.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { StatusLabel, statusLabel } from '../../ui/status.tsx'
import type { Selection } from '../../ui/use-selection.ts'
import { type Sorting, toggleSort } from './list-filter.ts'
import { isRowAction, PowerIconButton } from './power-icon-button.tsx'
import { type ServerListProps, type ServerRow, toRow } from './server-list.ts'
import { ServerMenu } from './server-menu.tsx'
import classes from './servers.module.css'

interface ServerTableProps extends ServerListProps {
  readonly selection: Selection<ServerView>
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
}

/** Servers as a table. A click on a row opens its server; `j`, `k`, Enter and `x` work on the focused row. */
export function ServerTable({ selection, sorting, onSort, ...list }: ServerTableProps) {
  const t = useT()
  const body = useRef<HTMLTableSectionElement>(null)

  const getLinks = () => [...(body.current?.querySelectorAll<HTMLAnchorElement>('a[data-row]') ?? [])]
  const getFocused = () => {
    const row = document.activeElement?.closest('tr')
    const index = getLinks().findIndex((link) => row?.contains(link))
    return index < 0 ? undefined : index
  }
  useRowHotkeys({
    group: t('servers.List'),
    getCount: () => list.servers.length,
    getFocused,
    focus: (index) => getLinks()[index]?.focus(),
    onSelect: (index) => {
      const server = list.servers[index]
      if (server) selection.toggle(server.id)
    },
  })

  return (
    <Table className={classes.table} layout="fixed" verticalSpacing={0} tabularNums>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="3rem" ps="md">
            <Checkbox
              size="xs"
              aria-label={t('servers.SelectAll')}
              checked={selection.isAll}
              indeterminate={selection.selected.length > 0 && !selection.isAll}
              onChange={selection.toggleAll}
            />
          </Table.Th>
          {columns.map(({ sort, label, ...column }) => (
            <SortableHeader key={sort} {...column} sort={sort} sorting={sorting} onSort={onSort}>
              {t(label)}
            </SortableHeader>
          ))}
          <Table.Th w="10rem">
            <VisuallyHidden>{t('common.Actions')}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody ref={body}>
        {list.servers.map((server) => (
          <Row key={server.id} row={toRow(server, list)} selection={selection} />
        ))}
      </Table.Tbody>
    </Table>
  )
}

/** The name has no width: it takes the remaining space. */
const columns = [
  { sort: 'status', label: 'servers.Status', w: '8.5rem' },
  { sort: 'name', label: 'common.Name' },
  { sort: 'address', label: 'servers.Address', className: classes.address, w: '12rem' },
  { sort: 'node', label: 'common.Node', className: classes.node, w: '7rem' },
  { sort: 'cpu', label: 'common.Cpu', className: classes.cpu, isNumeric: true },
  { sort: 'memory', label: 'common.Memory', className: classes.memory, isNumeric: true },
] as const

interface SortableHeaderProps {
  readonly sort: ServerSort
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
  readonly className?: string | undefined
  readonly w?: string
  readonly isNumeric?: boolean
  readonly children: ReactNode
}

/** A column header that sorts by its column; the next click reverses the order. */
function SortableHeader({ sort, sorting, onSort, isNumeric = false, children, ...cell }: SortableHeaderProps) {
  const isSorted = sorting.sort === sort
  const Arrow = sorting.order === 'asc' ? IconArrowUp : IconArrowDown
  return (
    <Table.Th {...cell} aria-sort={isSorted ? (sorting.order === 'asc' ? 'ascending' : 'descending') : undefined}>
      <UnstyledButton
        className={classes.sortButton}
        ms={isNumeric ? 'auto' : undefined}
        onClick={() => onSort(toggleSort(sort, sorting))}
      >
        <Text span inherit truncate>
          {children}
        </Text>
        {isSorted && <Arrow size={13} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  )
}

function Row({ row, selection }: { row: ServerRow; selection: Selection<ServerView> }) {
  const { server, status, usage, available, canViewConsole, run } = row
  const { id, name, node } = server
  const t = useT()
  const navigate = useNavigate()
  const { pinned, toggle } = usePinnedServers()
  const isPinned = pinned.includes(id)
  const address = addressOf(server)
  const Star = isPinned ? IconStarFilled : IconStar

  const open = (event: MouseEvent<HTMLElement>) => {
    if (event.defaultPrevented || !(event.target instanceof HTMLElement)) return
    if (event.target.closest('a, button, input, label, [role="menu"]') || getSelection()?.toString()) return
    void navigate(`/server/${id}`)
  }
  return (
    <Table.Tr onClick={open} {...(selection.has(id) ? { bg: 'var(--ik-primary-soft)' } : {})}>
      <Table.Td ps="md">
        <Checkbox
          size="xs"
          aria-label={t('common.SelectNamed', { name })}
          checked={selection.has(id)}
          onChange={(event) => selection.toggle(id, (event.nativeEvent as globalThis.MouseEvent).shiftKey === true)}
        />
      </Table.Td>
      <Table.Td>
        <StatusLabel state={status} />
        {usage?.lastKnown && <LastKnown {...usage.lastKnown} />}
      </Table.Td>
      <Table.Td>
        <Group gap="0.375rem" wrap="nowrap">
          <Anchor component={Link} to={`/server/${id}`} data-row c="inherit" fz="sm" fw={500} miw={0} truncate>
            {name}
          </Anchor>
          <ActionIcon
            className={classes.revealed}
            size={24}
            variant="transparent"
            c={isPinned ? 'var(--ik-lamp)' : 'var(--ik-subtle)'}
            aria-pressed={isPinned}
            aria-label={t(isPinned ? 'servers.UnpinNamed' : 'servers.PinNamed', { name })}
            onClick={() => toggle(id)}
          >
            <Star size={13} aria-hidden />
          </ActionIcon>
        </Group>
        <Text fz="xs" c="dimmed" truncate className={classes.addressBelow}>
          <CodeText>{address}</CodeText>
        </Text>
      </Table.Td>
      <Table.Td className={classes.address} c="dimmed">
        <Group gap={2} wrap="nowrap">
          <Text inherit truncate>
            <CodeText>{address}</CodeText>
          </Text>
          <span className={classes.revealed}>
            <CopyButton value={address} label={t('servers.CopyAddressOf', { name })} size={24} />
          </span>
        </Group>
      </Table.Td>
      <Table.Td className={classes.node} c="dimmed" fz="compact">
        <Text inherit truncate>
          {node.name}
        </Text>
      </Table.Td>
      <UsageCells row={row} />
      <Table.Td pe="md">
        <Group gap={2} justify="flex-end" wrap="nowrap">
          {available.filter(isRowAction).map((action) => (
            <PowerIconButton key={action} action={action} name={name} onClick={() => run(action)} />
          ))}
          {canViewConsole && (
            <ActionIcon
              size={30}
              component={Link}
              to={`/server/${id}?tab=console`}
              aria-label={t('servers.OpenConsoleOf', { name })}
              data-tip={t('servers.OpenConsole')}
            >
              <IconTerminal2 size={17} aria-hidden />
            </ActionIcon>
          )}
          <ServerMenu row={row} />
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}

/** The latest report of a node that is unreachable now. */
function LastKnown({ state, seenAt }: NonNullable<NonNullable<ServerRow['usage']>['lastKnown']>) {
  const t = useT()
  const { relative } = useFormatters()
  return (
    <Text fz="xs" c="dimmed" truncate>
      {t('servers.LastKnown', { state: statusLabel(t, state), ago: relative(Date.parse(seenAt)) })}
    </Text>
  )
}

/** CPU with a sparkline, and memory with a bar relative to the maximum; a dash where nothing is measured. */
function UsageCells({ row: { usage, cpu } }: { row: ServerRow }) {
  const { percent, fileSize } = useFormatters()
  const { stats, memoryMax } = usage ?? {}
  return (
    <>
      <UsageCell className={classes.cpu} value={stats && percent(stats.cpu)}>
        <Sparkline values={cpu} max={100} color="var(--ik-chart-1)" width={48} />
      </UsageCell>
      <UsageCell className={classes.memory} value={stats && fileSize(stats.memory)}>
        <Progress
          aria-hidden
          w="3rem"
          size={5}
          color="var(--ik-chart-2)"
          value={stats && memoryMax !== undefined ? Math.min(100, (stats.memory / memoryMax) * 100) : 0}
        />
      </UsageCell>
    </>
  )
}

interface UsageCellProps {
  readonly className: string | undefined
  readonly value: string | undefined
  /** The graph before the value. */
  readonly children: ReactNode
}

function UsageCell({ className, value, children }: UsageCellProps) {
  return (
    <Table.Td className={className} ta="end" fz="compact" {...(value === undefined ? { c: 'dimmed' } : {})}>
      {value === undefined ? (
        '—'
      ) : (
        <Group gap="0.625rem" justify="flex-end" wrap="nowrap">
          <span className={classes.graph}>{children}</span>
          <Text span inherit dir="ltr" ta="end" miw="3.75rem" className={classes.nowrap}>
            {value}
          </Text>
        </Group>
      )}
    </Table.Td>
  )
}
