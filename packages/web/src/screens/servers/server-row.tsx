import { addressOf } from '@innkeeper/contract/address'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy, IconStar, IconStarFilled, IconTerminal2 } from '@tabler/icons-react'
import { memo, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { PowerAction } from '../../features/power/power.ts'
import { toSparkline } from '../../features/servers/use-cpu-history.ts'
import type { ServerUsage } from '../../features/servers/use-server-usage.ts'
import type { Formatters } from '../../i18n/formatters.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import { copiedMs } from '../../ui/copied-duration.ts'
import controls from '../../ui/row-controls.module.css'
import { Sparkline } from '../../ui/sparkline.tsx'
import { StatusLabel } from '../../ui/status.tsx'
import { LastKnown } from './last-known.tsx'
import { isRowAction, PowerIconButton } from './power-icon-button.tsx'
import { type ServerRow, useAvailableActions } from './server-list.ts'
import { ServerMenu } from './server-menu.tsx'
import classes from './servers.module.css'
import { TagList } from './tags/tag-list.tsx'
import { getUsageTexts, type UsageText } from './usage-text.ts'

interface ServerTableRowProps extends ServerRow {
  readonly t: TFunction
  readonly formatters: Formatters
  readonly isSelected: boolean
  readonly isPinned: boolean
  readonly hasTags: boolean
  /** The place in a list that renders only some rows. */
  readonly 'aria-rowindex': number | undefined
}

/**
 * A row of plain elements that is rendered only when it looks different, so that long lists scroll smoothly. Its cells
 * are memoized too: usage changes every few seconds, the others rarely.
 */
export const ServerTableRow = memo(function ServerTableRow(row: ServerTableRowProps) {
  const { t, formatters, server, status, usage, cpuHistory, can, actions, isSelected, isPinned, hasTags } = row
  const { id, name, node, tags } = server
  const available = useAvailableActions({ server, status, reported: usage?.status, can })
  return (
    <tr aria-rowindex={row['aria-rowindex']} data-selected={isSelected || undefined}>
      <SelectCell {...{ t, id, name, isSelected, actions }} />
      <td>
        <StatusLabel state={status} />
        {usage?.lastKnown && (
          <span className={classes.second}>
            <LastKnown {...usage.lastKnown} />
          </span>
        )}
      </td>
      <NameCell {...{ t, server, isPinned, actions }} />
      <AddressCell {...{ t, server }} />
      <td className={classes.node}>{node.name}</td>
      {hasTags && <TagsCell {...{ t, formatters, tags }} />}
      <UsageCells {...{ t, formatters, usage, cpuHistory }} />
      <ActionsCell {...{ t, server, status, available, can, actions }} />
    </tr>
  )
})

type CellProps<K extends keyof ServerTableRowProps> = Pick<ServerTableRowProps, 't' | K>

const SelectCell = memo(function SelectCell(
  props: CellProps<'isSelected' | 'actions'> & { readonly id: string; readonly name: string },
) {
  const { t, id, name, isSelected, actions } = props
  return (
    <td className={classes.select}>
      <label>
        <input
          type="checkbox"
          className={controls.checkbox}
          aria-label={t('common.SelectNamed', { name })}
          checked={isSelected}
          onChange={({ nativeEvent }) => actions.toggle(id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
        />
      </label>
    </td>
  )
})

const NameCell = memo(function NameCell({
  t,
  server,
  isPinned,
  actions,
}: CellProps<'server' | 'isPinned' | 'actions'>) {
  const { id, name } = server
  const Star = isPinned ? IconStarFilled : IconStar
  return (
    <td>
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
      </span>
      <code className={`${classes.second} ${classes.addressBelow}`}>{addressOf(server)}</code>
    </td>
  )
})

const AddressCell = memo(function AddressCell({ t, server }: CellProps<'server'>) {
  const { copied, copy } = useClipboard({ timeout: copiedMs })
  const address = addressOf(server)
  const label = copied ? t('common.Copied') : t('servers.CopyAddressOf', { name: server.name })
  const Icon = copied ? IconCheck : IconCopy
  return (
    <td className={classes.address}>
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
    </td>
  )
})

const TagsCell = memo(function TagsCell(props: CellProps<'formatters'> & { readonly tags: readonly string[] }) {
  return (
    <td className={classes.tags}>
      <TagList {...props} maxCharacters={18} />
    </td>
  )
})

const ActionsCell = memo(function ActionsCell(
  props: CellProps<'server' | 'status' | 'can' | 'actions'> & { readonly available: readonly PowerAction[] },
) {
  const { t, server, status, available, can, actions } = props
  const { id, name } = server
  return (
    <td className={classes.actions}>
      <span className={controls.buttons}>
        {available.filter(isRowAction).map((action) => (
          <PowerIconButton key={action} {...{ t, action, name }} onClick={() => actions.run(server, action)} />
        ))}
        {can(server, 'viewServerConsole') && (
          <Link
            to={`/server/${id}?tab=console`}
            className={`${controls.icon} ${classes.console}`}
            aria-label={t('servers.OpenConsoleOf', { name })}
            data-tip={t('servers.OpenConsole')}
          >
            <IconTerminal2 size={17} aria-hidden />
          </Link>
        )}
        <ServerMenu {...{ t, server, status, available, can, actions }} />
      </span>
    </td>
  )
})

/** CPU and memory with a graph relative to what the server can use; a dash where nothing is measured. */
const UsageCells = memo(function UsageCells(props: CellProps<'formatters' | 'usage' | 'cpuHistory'>) {
  const { t, formatters, usage, cpuHistory } = props
  const { stats, cpuMax, memoryMax, history } = usage ?? emptyUsage
  const memoryPart = stats && memoryMax ? Math.min(100, (stats.memory / memoryMax) * 100) : 0
  const texts = getUsageTexts(t, formatters, usage)
  return (
    <>
      <UsageCell className={classes.cpu} text={texts?.cpu}>
        <Sparkline values={toSparkline(cpuHistory, history)} max={cpuMax ?? 100} width={48} />
      </UsageCell>
      <UsageCell className={classes.memory} text={texts?.memory}>
        <span
          role="progressbar"
          aria-hidden
          aria-valuenow={Math.round(memoryPart)}
          className={classes.bar}
          data-nearly-full={memoryPart >= nearlyFullPercent || undefined}
        >
          <span style={{ inlineSize: `${memoryPart}%` }} />
        </span>
      </UsageCell>
    </>
  )
})

const emptyUsage: ServerUsage = { history: [] }

/** From here the bar of the memory warns. */
const nearlyFullPercent = 90

interface UsageCellProps {
  readonly className: string | undefined
  readonly text: UsageText | undefined
  /** The graph before the value. */
  readonly children: ReactNode
}

function UsageCell({ className, text, children }: UsageCellProps) {
  if (!text) return <td className={`${className} ${classes.empty}`}>—</td>
  const { value, details } = text
  const hasMore = details !== value
  return (
    <td className={className}>
      <span className={classes.usage} data-tip={hasMore ? details : undefined}>
        <span className={classes.graph}>{children}</span>
        <span className={classes.value} dir="ltr" aria-hidden={hasMore}>
          {value}
        </span>
        {hasMore && <span className={classes.hidden}>{details}</span>}
      </span>
    </td>
  )
}
