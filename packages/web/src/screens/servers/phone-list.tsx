import { addressOf } from '@innkeeper/contract/address'
import type { ServerView } from '@innkeeper/contract/servers'
import { Checkbox } from '@mantine/core'
import { IconStarFilled } from '@tabler/icons-react'
import { Link } from 'react-router'
import { type ListPower, possibleActions } from '../../features/power/use-list-power.ts'
import { cpuLine } from '../../features/servers/past-cpu.ts'
import type { Usage } from '../../features/servers/usage.ts'
import { useFormats, useText } from '../../i18n/text.tsx'
import { usePinnedServers } from '../../session/preferences.tsx'
import { Mono } from '../../ui/small.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { StatusMark, stateText } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { ServerMenu } from './lazy-server-menu.tsx'
import { PowerButton } from './server-table.tsx'
import classes from './servers-screen.module.css'
import type { Actions, May } from './use-actions.tsx'
import type { Selection } from './use-selection.ts'

interface PhoneListProps {
  readonly rows: readonly ServerView[]
  readonly usage: ReadonlyMap<string, Usage>
  readonly pastCpu: ReadonlyMap<string, readonly number[]>
  readonly power: ListPower
  readonly actions: Actions
  readonly may: May
  /** Present while servers are being selected. */
  readonly selection: Selection | undefined
}

/** Servers as rows of three short lines, each with one button. */
export function PhoneList({ rows, usage, pastCpu, power, actions, may, selection }: PhoneListProps) {
  const text = useText()
  const { ago, percent, bytes } = useFormats()
  const { pinned } = usePinnedServers()

  return (
    <ul className={table.rows}>
      {rows.map((server) => {
        const state = power.stateOf(server.id)
        const { status, stats, last, history = [] } = usage.get(server.id) ?? {}
        const possible = possibleActions(state, status, (flag) => may(server.id, flag) === true)
        const facts = [
          stateText(text, state),
          ...(last
            ? [text('servers.LastKnown', { state: stateText(text, last.state), ago: ago(Date.parse(last.at)) })]
            : []),
          ...(stats ? [text('servers.CpuShort', { percent: percent(stats.cpu) }), bytes(stats.memory)] : []),
        ]
        return (
          <li key={server.id} className={classes.phoneRow}>
            {selection ? (
              <Checkbox
                aria-label={text('servers.Select', { name: server.name })}
                checked={selection.has(server.id)}
                onChange={() => selection.toggle(server.id)}
              />
            ) : (
              <span className={classes.phoneMark}>
                <StatusMark state={state} />
              </span>
            )}
            <Link to={`/server/${server.id}`} className={classes.phoneLink}>
              <span className={classes.phoneName}>
                <span>{server.name}</span>
                {pinned.includes(server.id) && <IconStarFilled size={13} aria-label={text('servers.Pinned')} />}
              </span>
              <Mono className={classes.phoneAddress ?? ''}>{addressOf(server)}</Mono>
              <span className={classes.phoneFacts}>{facts.join(' · ')}</span>
            </Link>
            {stats && (
              <Sparkline
                values={cpuLine(pastCpu.get(server.id), history)}
                max={100}
                color="var(--ik-chart-1)"
                width={52}
                height={26}
              />
            )}
            {possible.includes('start') ? (
              <PowerButton action="start" name={server.name} size={44} onClick={() => actions.act(server, 'start')} />
            ) : null}
            <ServerMenu
              isPhone
              server={server}
              actions={possible}
              onAct={(action) => actions.act(server, action)}
              mayConsole={may(server.id, 'viewServerConsole') === true}
            />
          </li>
        )
      })}
    </ul>
  )
}
