import { addressOf } from '@innkeeper/contract/address'
import type { ServerSort, ServerView } from '@innkeeper/contract/servers'
import { ActionIcon, Checkbox, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconStar, IconStarFilled, IconTerminal2 } from '@tabler/icons-react'
import { type MouseEvent, type ReactNode, useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import { actionNames, type PowerAction } from '../../features/power/power.ts'
import { powerIcons } from '../../features/power/power-icons.ts'
import { type ListPower, possibleActions } from '../../features/power/use-list-power.ts'
import { cpuLine } from '../../features/servers/past-cpu.ts'
import type { Usage } from '../../features/servers/usage.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { usePinnedServers } from '../../session/preferences.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { type DisplayStatus, StatusLabel, statusLabel } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { ServerMenu } from './lazy-server-menu.tsx'
import { type Sorting, sortedBy } from './rows.ts'
import classes from './servers-screen.module.css'
import type { Actions, May } from './use-actions.tsx'
import type { Selection } from './use-selection.ts'

interface ServerTableProps {
  readonly rows: readonly ServerView[]
  readonly usage: ReadonlyMap<string, Usage>
  /** What the processors did before the list was opened. */
  readonly pastCpu: ReadonlyMap<string, readonly number[]>
  readonly power: ListPower
  readonly actions: Actions
  readonly can: May
  readonly selection: Selection
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
}

/** Servers as a table. A row leads to its server; `j`, `k`, Enter and `x` work on the row in focus. */
export function ServerTable({ rows, usage, pastCpu, selection, sorting, onSort, ...row }: ServerTableProps) {
  const t = useT()
  const body = useRef<HTMLTableSectionElement>(null)

  const links = () => [...(body.current?.querySelectorAll<HTMLAnchorElement>('a[data-row]') ?? [])]
  const rowInFocus = () => {
    const row = document.activeElement?.closest('tr')
    return links().findIndex((link) => row?.contains(link))
  }
  const move = (step: 1 | -1) => {
    const all = links()
    const at = rowInFocus()
    all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)]?.focus()
  }
  const group = t('servers.List')
  useHotkeys([
    { keys: 'j', label: t('servers.NextRow'), group, hiddenInPalette: true, run: () => move(1) },
    { keys: 'k', label: t('servers.PreviousRow'), group, hiddenInPalette: true, run: () => move(-1) },
    {
      keys: 'x',
      label: t('servers.SelectRow'),
      group,
      hiddenInPalette: true,
      run: () => {
        const row = rows[rowInFocus()]
        if (row) selection.toggle(row.id)
      },
    },
  ])

  return (
    <table className={`${table.table} ${classes.table}`}>
      <thead>
        <tr>
          <th className={classes.check}>
            <Checkbox
              size="xs"
              aria-label={t('servers.SelectAll')}
              checked={selection.isAll}
              indeterminate={selection.chosen.length > 0 && !selection.isAll}
              onChange={selection.toggleAll}
            />
          </th>
          {columns.map(({ sort, label, className }) => (
            <SortedHead key={sort} className={className} sort={sort} sorting={sorting} onSort={onSort}>
              {t(label)}
            </SortedHead>
          ))}
          <th className={classes.actions}>
            <VisuallyHidden>{t('servers.Actions')}</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        {rows.map((server) => (
          <Row
            key={server.id}
            server={server}
            usage={usage.get(server.id)}
            past={pastCpu.get(server.id)}
            selection={selection}
            {...row}
          />
        ))}
      </tbody>
    </table>
  )
}

const columns = [
  { sort: 'status', label: 'servers.Status', className: classes.status },
  { sort: 'name', label: 'servers.Name', className: classes.nameColumn },
  { sort: 'address', label: 'servers.Address', className: classes.address },
  { sort: 'node', label: 'servers.Node', className: classes.node },
  { sort: 'cpu', label: 'servers.Cpu', className: classes.cpu },
  { sort: 'memory', label: 'servers.Memory', className: classes.memory },
] as const

interface SortedHeadProps {
  readonly sort: ServerSort
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
  readonly className: string | undefined
  readonly children: ReactNode
}

/** The head of a column; a click sorts by it, another turns the order round. */
function SortedHead({ sort, sorting, onSort, className, children }: SortedHeadProps) {
  const isSorted = sorting.sort === sort
  const Arrow = sorting.order === 'asc' ? IconArrowUp : IconArrowDown
  return (
    <th className={className} aria-sort={isSorted ? (sorting.order === 'asc' ? 'ascending' : 'descending') : undefined}>
      <button type="button" className={classes.sorter} onClick={() => onSort(sortedBy(sort, sorting))}>
        <span>{children}</span>
        {isSorted && <Arrow size={13} aria-hidden />}
      </button>
    </th>
  )
}

interface RowProps extends Pick<ServerTableProps, 'power' | 'actions' | 'can' | 'selection'> {
  readonly server: ServerView
  readonly usage: Usage | undefined
  readonly past: readonly number[] | undefined
}

function Row({ server, usage, past, power, actions, can: may, selection }: RowProps) {
  const t = useT()
  const goTo = useNavigate()
  const { pinned, toggle } = usePinnedServers()
  const { id, name, node } = server
  const state = power.stateOf(id)
  const possible = possibleActions(state, usage?.status, (flag) => may(id, flag) === true)
  const isPinned = pinned.includes(id)
  const address = addressOf(server)

  const open = (event: MouseEvent<HTMLElement>) => {
    if (event.defaultPrevented || !(event.target instanceof HTMLElement)) return
    if (event.target.closest('a, button, input, label, [role="menu"]') || getSelection()?.toString()) return
    void goTo(`/server/${id}`)
  }
  return (
    <tr onClick={open} data-selected={selection.has(id) || undefined}>
      <td className={classes.check}>
        <Checkbox
          size="xs"
          aria-label={t('servers.Select', { name })}
          checked={selection.has(id)}
          onChange={(event) => selection.toggle(id, (event.nativeEvent as globalThis.MouseEvent).shiftKey === true)}
        />
      </td>
      <td className={classes.status}>
        <StatusLabel state={state} />
        {usage?.last && <LastKnown {...usage.last} />}
      </td>
      <td className={classes.nameColumn}>
        <span className={classes.name}>
          <Link to={`/server/${id}`} data-row>
            {name}
          </Link>
          <button
            type="button"
            className={classes.star}
            aria-pressed={isPinned}
            aria-label={t(isPinned ? 'servers.UnpinNamed' : 'servers.PinNamed', { name })}
            onClick={() => toggle(id)}
          >
            {isPinned ? <IconStarFilled size={13} aria-hidden /> : <IconStar size={13} aria-hidden />}
          </button>
        </span>
        <CodeText className={classes.addressBelow}>{address}</CodeText>
      </td>
      <td className={classes.address}>
        <span className={classes.copyable}>
          <CodeText className={classes.cut}>{address}</CodeText>
          <CopyButton value={address} label={t('servers.CopyAddressOf', { name })} size={24} />
        </span>
      </td>
      <td className={`${classes.node} ${classes.cut}`}>{node.name}</td>
      <Measures usage={usage} past={past} />
      <td className={classes.actions}>
        <span className={classes.buttons}>
          {possible.filter(isInRow).map((action) => (
            <PowerButton key={action} action={action} name={name} onClick={() => actions.act(server, action)} />
          ))}
          {may(id, 'viewServerConsole') && (
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
          <ServerMenu
            server={server}
            actions={possible}
            onAct={(action) => actions.act(server, action)}
            mayConsole={may(id, 'viewServerConsole') === true}
          />
        </span>
      </td>
    </tr>
  )
}

/** How a server was when its node was heard last. */
function LastKnown({ state, at }: { state: DisplayStatus; at: string }) {
  const t = useT()
  const { relative } = useFormatters()
  return (
    <small className={classes.last}>
      {t('servers.LastKnown', { state: statusLabel(t, state), ago: relative(Date.parse(at)) })}
    </small>
  )
}

/** CPU with the line before it, and memory against all that there is; a dash where nothing is known. */
function Measures({ usage, past }: Pick<RowProps, 'usage' | 'past'>) {
  const { percent, bytes } = useFormatters()
  if (!usage?.stats) {
    return (
      <>
        <td className={classes.cpu}>—</td>
        <td className={classes.memory}>—</td>
      </>
    )
  }
  const { stats, memoryMax, history } = usage
  return (
    <>
      <td className={classes.cpu}>
        <span className={classes.measure}>
          <Sparkline values={cpuLine(past, history)} max={100} color="var(--ik-chart-1)" />
          <span>{percent(stats.cpu)}</span>
        </span>
      </td>
      <td className={classes.memory}>
        <span className={classes.measure}>
          <span className={classes.share} aria-hidden>
            {memoryMax !== undefined && <span style={{ inlineSize: percentOf(stats.memory, memoryMax) }} />}
          </span>
          <span>{bytes(stats.memory)}</span>
        </span>
      </td>
    </>
  )
}

const percentOf = (part: number, whole: number) => `${Math.min(100, (part / whole) * 100).toFixed(1)}%`

/** The actions that have a button in the row; Kill and Install are in its menu. */
type RowAction = Exclude<PowerAction, 'kill' | 'install'>
const isInRow = (action: PowerAction): action is RowAction => action !== 'kill' && action !== 'install'

const namedTexts: Readonly<Record<RowAction, string>> = {
  start: 'servers.StartNamed',
  restart: 'servers.RestartNamed',
  stop: 'servers.StopNamed',
  cancelInstall: 'servers.CancelInstallNamed',
}

interface PowerButtonProps {
  readonly action: RowAction
  readonly name: string
  readonly size?: number
  readonly onClick: () => void
}

/** Acts on one server at once. */
export function PowerButton({ action, name, size = 30, onClick }: PowerButtonProps) {
  const t = useT()
  const Icon = powerIcons[action]
  return (
    <ActionIcon
      size={size}
      aria-label={t(namedTexts[action], { name })}
      data-tip={t(actionNames[action])}
      onClick={onClick}
    >
      <Icon size={size > 40 ? 20 : 17} aria-hidden />
    </ActionIcon>
  )
}
