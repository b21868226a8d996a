import type { ListedServer, ServerSort } from '@innkeeper/contract/servers/servers'
import { getAddress } from '@innkeeper/contract/text/address'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy, IconStar, IconStarFilled } from '@tabler/icons-react'
import { memo, type ReactNode } from 'react'
import { Link } from 'react-router'
import { toSparkline } from '../../features/servers/use-cpu-history.ts'
import type { ServerUsage } from '../../features/servers/use-server-usage.ts'
import type { Formatters } from '../../i18n/formatters.ts'
import type { TFunction, TranslationKey } from '../../i18n/i18n.tsx'
import { Sparkline } from '../../ui/feedback/sparkline.tsx'
import { type DisplayStatus, StatusLabel } from '../../ui/feedback/status.tsx'
import controls from '../../ui/lists/row-controls.module.css'
import { copiedMs } from '../../ui/text/copied-duration.ts'
import { maintenanceText } from '../../ui/text/node-availability.ts'
import type { ServerRow } from './list/server-list.ts'
import classes from './servers.module.css'
import { TagList } from './tags/tag-list.tsx'
import { getPlayersTexts, getUsageTexts, LastKnown } from './usage-text.ts'

/** What the cells of a row show. */
export interface RowCells extends ServerRow {
  readonly t: TFunction
  readonly formatters: Formatters
  readonly isPinned: boolean
}

interface SortButton {
  readonly sort: ServerSort
  readonly label: TranslationKey
  readonly className?: string | undefined
}

export interface Column {
  /** One for each value in the cells of the column. */
  readonly buttons: readonly SortButton[]
  /** The style sheet sets its width by it, and hides it in a narrow list. */
  readonly className?: string | undefined
  readonly isNumeric?: boolean
  readonly render: (row: RowCells) => ReactNode
}

/** Tags are in the column of the name, which takes the space that they leave. */
type ColumnName = Exclude<ServerSort, 'tags'>

/**
 * The columns of the list, in their order. The cells are memoized: usage changes every few seconds, the others rarely. Where the
 * address is below the name, so is its header.
 */
export const columns: Readonly<Record<ColumnName, Column>> = {
  status: {
    buttons: [{ sort: 'status', label: 'servers.Status' }],
    className: classes.status,
    render: ({ t, status, usage }) => (
      <StatusCell {...{ t, status }} lastKnown={usage?.lastKnown} players={usage?.players} />
    ),
  },
  name: {
    buttons: [
      { sort: 'name', label: 'common.Name' },
      { sort: 'address', label: 'servers.Address', className: classes.addressBelow },
      { sort: 'tags', label: 'servers.Tags', className: classes.tags },
    ],
    render: ({ t, formatters, server, isPinned, actions }) => (
      <NameCell {...{ t, formatters, server, isPinned, actions }} />
    ),
  },
  address: {
    buttons: [{ sort: 'address', label: 'servers.Address' }],
    className: classes.address,
    render: ({ t, server }) => <AddressCell {...{ t, server }} />,
  },
  node: {
    buttons: [{ sort: 'node', label: 'common.Node' }],
    className: classes.node,
    render: ({ t, formatters, server: { node } }) => <NodeCell {...{ t, formatters, node }} />,
  },
  players: {
    buttons: [{ sort: 'players', label: 'common.Players' }],
    className: classes.players,
    isNumeric: true,
    render: ({ t, usage }) => <PlayersCell {...{ t }} players={usage?.players} />,
  },
  cpu: {
    buttons: [{ sort: 'cpu', label: 'common.Cpu' }],
    className: classes.cpu,
    isNumeric: true,
    render: ({ t, formatters, usage, cpuHistory }) => <CpuCell {...{ t, formatters, usage, cpuHistory }} />,
  },
  memory: {
    buttons: [{ sort: 'memory', label: 'common.Memory' }],
    className: classes.memory,
    isNumeric: true,
    render: ({ t, formatters, usage }) => <MemoryCell {...{ t, formatters, usage }} />,
  },
}

type CellProps<K extends keyof RowCells> = Pick<RowCells, 't' | K>

const StatusCell = memo(function StatusCell(props: {
  readonly t: TFunction
  readonly status: DisplayStatus
  readonly lastKnown: ServerUsage['lastKnown']
  readonly players: ServerUsage['players']
}) {
  return (
    <>
      <StatusLabel state={props.status} />
      {props.players && (
        <span className={`${classes.second} ${classes.playersBelow}`}>{props.t('servers.Players', props.players)}</span>
      )}
      {props.lastKnown && (
        <span className={classes.second}>
          <LastKnown {...props.lastKnown} />
        </span>
      )}
    </>
  )
})

const NameCell = memo(function NameCell(props: CellProps<'formatters' | 'server' | 'isPinned' | 'actions'>) {
  const { t, formatters, server, isPinned, actions } = props
  const { id, name, tags } = server
  const Star = isPinned ? IconStarFilled : IconStar
  return (
    <>
      <span className={classes.line}>
        <Link to={`/server/${id}`} data-row={id} data-main className={classes.name} dir="auto">
          {name}
        </Link>
        <button
          type="button"
          className={`${controls.icon} ${classes.small} ${classes.revealed}`}
          aria-pressed={isPinned}
          aria-label={t(isPinned ? 'servers.UnpinNamed' : 'servers.PinNamed', { name })}
          onClick={() => actions.togglePinned(id)}
        >
          <Star size={13} aria-hidden />
        </button>
        {tags.length > 0 && (
          <span className={classes.tags}>
            <TagList {...{ t, formatters, tags }} maxCharacters={18} />
          </span>
        )}
      </span>
      <code className={`${classes.second} ${classes.addressBelow}`}>{getAddress(server)}</code>
    </>
  )
})

const AddressCell = memo(function AddressCell({ t, server }: { t: TFunction; server: ListedServer }) {
  const { copied, copy } = useClipboard({ timeout: copiedMs })
  const address = getAddress(server)
  const label = copied ? t('common.Copied') : t('servers.CopyAddressOf', { name: server.name })
  const Icon = copied ? IconCheck : IconCopy
  return (
    <span className={classes.line}>
      <code>{address}</code>
      <button
        type="button"
        className={`${controls.icon} ${classes.small} ${classes.revealed}`}
        aria-label={label}
        data-tip={label}
        onClick={() => copy(address)}
      >
        <Icon size={14} aria-hidden />
      </button>
    </span>
  )
})

const NodeCell = memo(function NodeCell({
  t,
  formatters,
  node,
}: CellProps<'formatters'> & { node: ListedServer['node'] }) {
  const maintenance = maintenanceText(t, formatters, node)
  if (maintenance === undefined) return node.name
  return (
    <span data-tip={maintenance}>
      {node.name}
      <span className={classes.second}>{t('nodes.Availability_maintenance')}</span>
      <span className={classes.hidden}>{maintenance}</span>
    </span>
  )
})

const PlayersCell = memo(function PlayersCell(props: { readonly t: TFunction } & Pick<ServerUsage, 'players'>) {
  const text = getPlayersTexts(props.t, props.players)
  if (!text) return <span className={classes.empty}>—</span>
  return (
    <span data-tip={text.details}>
      <span dir="ltr" aria-hidden>
        {text.value}
      </span>
      <span className={classes.hidden}>{text.details}</span>
    </span>
  )
})

const noUsage: ServerUsage = { history: [] }

/** CPU usage with a graph relative to what the server can use. */
const CpuCell = memo(function CpuCell(props: CellProps<'formatters' | 'usage' | 'cpuHistory'>) {
  const { cpuMax = 100, history } = props.usage ?? noUsage
  return (
    <UsageValue {...props} value="cpu">
      <Sparkline values={toSparkline(props.cpuHistory, history)} max={cpuMax} width={48} />
    </UsageValue>
  )
})

/** From here the bar of the memory warns. */
const nearlyFullPercent = 90

const MemoryCell = memo(function MemoryCell(props: CellProps<'formatters' | 'usage'>) {
  const { stats, memoryMax } = props.usage ?? noUsage
  const part = stats && memoryMax ? Math.min(100, (stats.memory / memoryMax) * 100) : 0
  return (
    <UsageValue {...props} value="memory">
      <span
        role="progressbar"
        aria-hidden
        aria-valuenow={Math.round(part)}
        className={classes.bar}
        data-nearly-full={part >= nearlyFullPercent || undefined}
      >
        <span style={{ inlineSize: `${part}%` }} />
      </span>
    </UsageValue>
  )
})

interface UsageValueProps extends CellProps<'formatters' | 'usage'> {
  readonly value: 'cpu' | 'memory'
  /** The graph before the value. */
  readonly children: ReactNode
}

/** A value with its graph; a dash where nothing is measured. */
function UsageValue({ t, formatters, usage, value: name, children }: UsageValueProps) {
  const text = getUsageTexts(t, formatters, usage)?.[name]
  if (!text) return <span className={classes.empty}>—</span>
  const { value, details } = text
  const hasMore = details !== value
  return (
    <span className={classes.usage} data-tip={hasMore ? details : undefined}>
      <span className={classes.graph}>{children}</span>
      <span className={classes.value} dir="ltr" aria-hidden={hasMore}>
        {value}
      </span>
      {hasMore && <span className={classes.hidden}>{details}</span>}
    </span>
  )
}
