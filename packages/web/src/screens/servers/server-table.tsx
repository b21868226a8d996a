import { addressOf } from '@innkeeper/contract/address'
import type { ListedServer, ServerSort } from '@innkeeper/contract/servers'
import {
  ActionIcon,
  Anchor,
  Checkbox,
  Group,
  Progress,
  Skeleton,
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
import type { TranslationKey } from '../../i18n/translation-key.ts'
import { usePinnedServers } from '../../session/preferences.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { StatusLabel, statusLabel } from '../../ui/status.tsx'
import type { Selection } from '../../ui/use-selection.ts'
import { type Sorting, toggleSort } from './list-filter.ts'
import { isRowAction, PowerIconButton } from './power-icon-button.tsx'
import { getRenderedRows, type RowAttributes, type ServerListProps, type ServerRow, toRow } from './server-list.ts'
import { ServerMenu } from './server-menu.tsx'
import classes from './servers.module.css'
import { TagList } from './tags/tag-list.tsx'

interface ServerTableProps extends ServerListProps {
  readonly selection: Selection<ListedServer>
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
  readonly selectAllLabel: string
  /** Without tags there is no column for them. */
  readonly hasTags: boolean
}

/** Servers as a table. A click on a row opens its server; `j`, `k`, Enter and `x` work on the focused row. */
export function ServerTable({ selection, sorting, onSort, selectAllLabel, hasTags, ...list }: ServerTableProps) {
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
    // Only the rendered rows: the next ones follow as these scroll into view.
    getCount: () => getLinks().length,
    getFocused,
    focus: (index) => getLinks()[index]?.focus(),
    onSelect: (index) => {
      const id = getLinks()[index]?.dataset.row
      if (id) selection.toggle(id)
    },
  })

  return (
    <Table
      className={classes.table}
      layout="fixed"
      verticalSpacing={0}
      tabularNums
      data-tags={hasTags || undefined}
      aria-rowcount={list.rendered && list.rows.length + 1}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="3rem" ps="md">
            <Checkbox
              size="xs"
              aria-label={selectAllLabel}
              checked={selection.isAll}
              indeterminate={selection.selected.length > 0 && !selection.isAll}
              onChange={selection.toggleAll}
            />
          </Table.Th>
          {columns.map(({ sort, label, also, ...cell }) => {
            if (sort === 'tags' && !hasTags) return null
            const sorts = also ? [{ sort, label }, also] : [{ sort, label }]
            return <SortableHeader key={sort} {...cell} sorts={sorts} sorting={sorting} onSort={onSort} />
          })}
          <Table.Th w="10rem">
            <VisuallyHidden>{t('common.Actions')}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody ref={body}>
        <Spacer height={list.rendered?.before} />
        {getRenderedRows(list).map(({ index, server }) => {
          const attributes = list.rendered && { 'aria-rowindex': index + 2 }
          return server ? (
            <Row key={server.id} row={toRow(server, list)} {...{ selection, hasTags, attributes }} />
          ) : (
            <LoadingRow key={index} {...{ attributes }} />
          )
        })}
        <Spacer height={list.rendered?.after} />
      </Table.Tbody>
    </Table>
  )
}

interface Column {
  readonly sort: ServerSort
  readonly label: TranslationKey
  /** A second value in the same cells. */
  readonly also?: { readonly sort: ServerSort; readonly label: TranslationKey; readonly className?: string | undefined }
  readonly className?: string | undefined
  readonly w?: string
  readonly isNumeric?: boolean
}

/** The name has no width: it takes the remaining space. Where the address is below the name, so is its header. */
const columns: readonly Column[] = [
  { sort: 'status', label: 'servers.Status', w: '8.5rem' },
  {
    sort: 'name',
    label: 'common.Name',
    also: { sort: 'address', label: 'servers.Address', className: classes.addressBelow },
  },
  { sort: 'address', label: 'servers.Address', className: classes.address, w: '12rem' },
  { sort: 'node', label: 'common.Node', className: classes.node, w: '7rem' },
  { sort: 'tags', label: 'servers.Tags', className: classes.tags },
  { sort: 'cpu', label: 'common.Cpu', className: classes.cpu, isNumeric: true },
  { sort: 'memory', label: 'common.Memory', className: classes.memory, isNumeric: true },
]

interface SortableHeaderProps {
  /** What the buttons of this header sort by. */
  readonly sorts: readonly (Pick<Column, 'sort' | 'label'> & { readonly className?: string | undefined })[]
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
  readonly className?: string | undefined
  readonly w?: string
  readonly isNumeric?: boolean
}

/** A column header that sorts by its column; the next click reverses the order. */
function SortableHeader({ sorts, sorting, onSort, isNumeric = false, ...cell }: SortableHeaderProps) {
  const t = useT()
  const isSorted = sorts.some(({ sort }) => sort === sorting.sort)
  const Arrow = sorting.order === 'asc' ? IconArrowUp : IconArrowDown
  return (
    <Table.Th {...cell} aria-sort={isSorted ? (sorting.order === 'asc' ? 'ascending' : 'descending') : undefined}>
      <Group gap="md" wrap="nowrap" justify={isNumeric ? 'flex-end' : 'flex-start'}>
        {sorts.map(({ sort, label, className }) => (
          <UnstyledButton
            key={sort}
            className={[classes.sortButton, className].filter(Boolean).join(' ')}
            data-sorted={sort === sorting.sort || undefined}
            onClick={() => onSort(toggleSort(sort, sorting))}
          >
            <Text span inherit truncate>
              {t(label)}
            </Text>
            {sort === sorting.sort && <Arrow size={13} aria-hidden />}
          </UnstyledButton>
        ))}
      </Group>
    </Table.Th>
  )
}

/** The height of the rows that are not rendered. */
function Spacer({ height = 0 }: { height?: number | undefined }) {
  return height > 0 && <tr aria-hidden style={{ blockSize: height }} className={classes.spacer} />
}

/** A row that is not loaded yet. */
function LoadingRow({ attributes }: { attributes: RowAttributes | undefined }) {
  const t = useT()
  return (
    <Table.Tr {...attributes}>
      <Table.Td colSpan={columns.length + 2} px="md">
        <Skeleton h={12} maw="24rem" role="img" aria-label={t('common.Loading')} />
      </Table.Td>
    </Table.Tr>
  )
}

interface RowProps {
  readonly row: ServerRow
  readonly selection: Selection<ListedServer>
  readonly hasTags: boolean
  readonly attributes: RowAttributes | undefined
}

function Row({ row, selection, hasTags, attributes }: RowProps) {
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
    <Table.Tr {...attributes} onClick={open} {...(selection.has(id) ? { bg: 'var(--ik-primary-soft)' } : {})}>
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
          <Anchor
            component={Link}
            to={`/server/${id}`}
            data-row={id}
            c="inherit"
            fz="sm"
            fw={500}
            miw={0}
            truncate
            dir="auto"
          >
            {name}
          </Anchor>
          <ActionIcon
            className={classes.revealed}
            size={24}
            variant="transparent"
            c={isPinned ? 'var(--ik-highlight)' : 'var(--ik-subtle)'}
            aria-pressed={isPinned}
            aria-label={t(isPinned ? 'servers.UnpinNamed' : 'servers.PinNamed', { name })}
            onClick={() => toggle(id)}
          >
            <Star size={13} aria-hidden />
          </ActionIcon>
        </Group>
        <Text fz="xs" c="dimmed" truncate dir="ltr" className={classes.addressBelow}>
          <CodeText>{address}</CodeText>
        </Text>
      </Table.Td>
      <Table.Td className={classes.address} c="dimmed">
        <Group gap={2} wrap="nowrap">
          <Text inherit truncate dir="ltr">
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
      {hasTags && (
        <Table.Td className={classes.tags}>
          <TagList tags={server.tags} maxCharacters={18} />
        </Table.Td>
      )}
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

/** CPU and memory with a graph relative to what the server can use; a dash where nothing is measured. */
function UsageCells({ row: { usage, cpu } }: { row: ServerRow }) {
  const t = useT()
  const { percent, fileSize } = useFormatters()
  const { stats, cpuMax, memoryMax } = usage ?? {}
  const memoryPart = stats && memoryMax ? Math.min(100, (stats.memory / memoryMax) * 100) : 0
  const ofMax = (value: string, max: string | undefined) =>
    max === undefined ? value : t('servers.OfMax', { value, max })
  return (
    <>
      <UsageCell
        className={classes.cpu}
        value={stats && percent(stats.cpu)}
        details={stats && ofMax(percent(stats.cpu), cpuMax === undefined ? undefined : percent(cpuMax))}
      >
        <Sparkline values={cpu} max={cpuMax ?? 100} color="var(--ik-chart-1)" width={48} />
      </UsageCell>
      <UsageCell
        className={classes.memory}
        value={stats && fileSize(stats.memory)}
        details={stats && ofMax(fileSize(stats.memory), memoryMax === undefined ? undefined : fileSize(memoryMax))}
      >
        <Progress
          aria-hidden
          w="3rem"
          size={5}
          color={memoryPart >= nearlyFullPercent ? 'var(--ik-warning)' : 'var(--ik-chart-2)'}
          value={memoryPart}
        />
      </UsageCell>
    </>
  )
}

/** From here the bar of the memory warns. */
const nearlyFullPercent = 90

interface UsageCellProps {
  readonly className: string | undefined
  readonly value: string | undefined
  /** The value with its maximum. */
  readonly details: string | undefined
  /** The graph before the value. */
  readonly children: ReactNode
}

function UsageCell({ className, value, details, children }: UsageCellProps) {
  const hasMore = details !== value
  return (
    <Table.Td className={className} ta="end" fz="compact" {...(value === undefined ? { c: 'dimmed' } : {})}>
      {value === undefined ? (
        '—'
      ) : (
        <Group gap="0.625rem" justify="flex-end" wrap="nowrap" data-tip={hasMore ? details : undefined}>
          <span className={classes.graph}>{children}</span>
          <Text span inherit dir="ltr" ta="end" miw="3.75rem" className={classes.nowrap} aria-hidden={hasMore}>
            {value}
          </Text>
          {hasMore && <VisuallyHidden>{details}</VisuallyHidden>}
        </Group>
      )}
    </Table.Td>
  )
}
