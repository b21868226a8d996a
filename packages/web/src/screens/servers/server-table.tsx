import { addressOf } from '@innkeeper/contract/address'
import type { ServerView } from '@innkeeper/contract/servers'
import { ActionIcon, Checkbox, VisuallyHidden } from '@mantine/core'
import {
  IconPlayerPlay,
  IconPlayerStop,
  IconRotateClockwise,
  IconStar,
  IconStarFilled,
  IconTerminal2,
} from '@tabler/icons-react'
import { type MouseEvent, useRef } from 'react'
import { Link, useNavigate } from 'react-router'
import type { PowerAction, usePower } from '../../features/servers/power.ts'
import type { Usage } from '../../features/servers/usage.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useFormats, useText } from '../../i18n/text.tsx'
import { usePinnedServers } from '../../session/preferences.tsx'
import { CopyButton, Mono } from '../../ui/small.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { type ShownState, StatusLabel, stateText } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { ServerMenu } from './lazy-server-menu.tsx'
import { actionsIn, type May } from './server-actions.ts'
import classes from './servers-screen.module.css'
import type { Selection } from './use-selection.ts'

interface ServerTableProps {
  readonly rows: readonly ServerView[]
  readonly usage: ReadonlyMap<string, Usage>
  readonly power: ReturnType<typeof usePower>
  readonly may: May
  readonly selection: Selection
}

/** Servers as a table. A row leads to its server; `j`, `k`, Enter and `x` work on the row in focus. */
export function ServerTable({ rows, usage, power, may, selection }: ServerTableProps) {
  const text = useText()
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
  const group = text('servers.List')
  useHotkeys([
    { keys: 'j', label: text('servers.NextRow'), group, isKeysOnly: true, run: () => move(1) },
    { keys: 'k', label: text('servers.PreviousRow'), group, isKeysOnly: true, run: () => move(-1) },
    {
      keys: 'x',
      label: text('servers.SelectRow'),
      group,
      isKeysOnly: true,
      run: () => {
        const row = rows[rowInFocus()]
        if (row) selection.toggle(row.id)
      },
    },
  ])

  return (
    <div className={classes.scroller}>
      <table className={`${table.table} ${classes.table}`}>
        <thead>
          <tr>
            <th className={classes.check}>
              <Checkbox
                size="xs"
                aria-label={text('servers.SelectAll')}
                checked={selection.isAll}
                indeterminate={selection.chosen.length > 0 && !selection.isAll}
                onChange={selection.toggleAll}
              />
            </th>
            <th className={classes.status}>{text('servers.Status')}</th>
            <th>{text('servers.Name')}</th>
            <th className={classes.address}>{text('servers.Address')}</th>
            <th className={classes.node}>{text('servers.Node')}</th>
            <th className={classes.cpu}>{text('servers.Cpu')}</th>
            <th className={classes.memory}>{text('servers.Memory')}</th>
            <th className={classes.actions}>
              <VisuallyHidden>{text('servers.Actions')}</VisuallyHidden>
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((server) => (
            <Row
              key={server.id}
              server={server}
              usage={usage.get(server.id)}
              power={power}
              may={may}
              selection={selection}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps extends Omit<ServerTableProps, 'rows' | 'usage'> {
  readonly server: ServerView
  readonly usage: Usage | undefined
}

function Row({ server, usage, power, may, selection }: RowProps) {
  const text = useText()
  const goTo = useNavigate()
  const { pinned, toggle } = usePinnedServers()
  const { id, name, node } = server
  const state = power.stateOf(id)
  const actions = actionsIn(state, id, may)
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
          aria-label={text('servers.Select', { name })}
          checked={selection.has(id)}
          onChange={(event) => selection.toggle(id, (event.nativeEvent as globalThis.MouseEvent).shiftKey === true)}
        />
      </td>
      <td className={classes.status}>
        <StatusLabel state={state} />
        {usage?.last && <LastKnown {...usage.last} />}
      </td>
      <td>
        <span className={classes.name}>
          <Link to={`/server/${id}`} data-row>
            {name}
          </Link>
          <button
            type="button"
            className={classes.star}
            aria-pressed={isPinned}
            aria-label={text(isPinned ? 'servers.UnpinNamed' : 'servers.PinNamed', { name })}
            onClick={() => toggle(id)}
          >
            {isPinned ? <IconStarFilled size={13} aria-hidden /> : <IconStar size={13} aria-hidden />}
          </button>
        </span>
      </td>
      <td className={classes.address}>
        <span className={classes.copyable}>
          <Mono>{address}</Mono>
          <CopyButton value={address} label={text('servers.CopyAddressOf', { name })} size={24} />
        </span>
      </td>
      <td className={classes.node}>{node.name}</td>
      <Measures usage={usage} />
      <td className={classes.actions}>
        <span className={classes.buttons}>
          {actions.map((action) => (
            <PowerButton key={action} action={action} name={name} onClick={() => power.act(server, action)} />
          ))}
          {may(id, 'viewServerConsole') && (
            <ActionIcon
              size={30}
              component={Link}
              to={`/server/${id}?tab=console`}
              aria-label={text('servers.OpenConsoleOf', { name })}
              data-tip={text('servers.OpenConsole')}
            >
              <IconTerminal2 size={17} aria-hidden />
            </ActionIcon>
          )}
          <ServerMenu
            server={server}
            actions={actions}
            onAct={(action) => power.act(server, action)}
            mayConsole={may(id, 'viewServerConsole')}
          />
        </span>
      </td>
    </tr>
  )
}

/** CPU and memory: the latest value and the line before it; a dash where nothing is known. */
/** How a server was when its node was heard last. */
function LastKnown({ state, at }: { state: ShownState; at: string }) {
  const text = useText()
  const { ago } = useFormats()
  return (
    <small className={classes.last}>
      {text('servers.LastKnown', { state: stateText(text, state), ago: ago(Date.parse(at)) })}
    </small>
  )
}

function Measures({ usage }: { usage: Usage | undefined }) {
  const { percent, bytes } = useFormats()
  if (!usage?.stats) {
    return (
      <>
        <td className={classes.cpu}>—</td>
        <td className={classes.memory}>—</td>
      </>
    )
  }
  const memories = usage.history.map(({ memory }) => memory)
  return (
    <>
      <td className={classes.cpu}>
        <span className={classes.measure}>
          <Sparkline values={usage.history.map(({ cpu }) => cpu)} max={100} color="var(--ik-chart-1)" />
          <span>{percent(usage.stats.cpu)}</span>
        </span>
      </td>
      <td className={classes.memory}>
        <span className={classes.measure}>
          <Sparkline values={memories} max={Math.max(...memories) * 1.6} color="var(--ik-chart-2)" />
          <span>{bytes(usage.stats.memory)}</span>
        </span>
      </td>
    </>
  )
}

const buttons = {
  start: { Icon: IconPlayerPlay, text: 'servers.Start', named: 'servers.StartNamed' },
  restart: { Icon: IconRotateClockwise, text: 'servers.Restart', named: 'servers.RestartNamed' },
  stop: { Icon: IconPlayerStop, text: 'servers.Stop', named: 'servers.StopNamed' },
} as const

/** Starts, restarts or stops one server at once. */
export function PowerButton({
  action,
  name,
  size = 30,
  onClick,
}: {
  action: PowerAction
  name: string
  size?: number
  onClick: () => void
}) {
  const text = useText()
  const { Icon, ...texts } = buttons[action]
  return (
    <ActionIcon size={size} aria-label={text(texts.named, { name })} data-tip={text(texts.text)} onClick={onClick}>
      <Icon size={size > 40 ? 20 : 17} stroke={1.6} aria-hidden />
    </ActionIcon>
  )
}
