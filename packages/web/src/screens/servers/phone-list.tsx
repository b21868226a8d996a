import { addressOf } from '@innkeeper/contract/address'
import type { ServerView } from '@innkeeper/contract/servers'
import { Checkbox } from '@mantine/core'
import { IconStarFilled } from '@tabler/icons-react'
import { Link } from 'react-router'
import { type ListPower, possibleActions } from '../../features/power/use-list-power.ts'
import { cpuLine } from '../../features/servers/past-cpu.ts'
import type { Usage } from '../../features/servers/usage.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { usePinnedServers } from '../../session/preferences.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { StatusIcon, statusLabel } from '../../ui/status.tsx'
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
  readonly can: May
  /** Present while servers are being selected. */
  readonly selection: Selection | undefined
}

/** Servers as rows of three short lines, each with one button. */
export function PhoneList({ rows, usage, pastCpu, power, actions, can: may, selection }: PhoneListProps) {
  const t = useT()
  const { relative, percent, bytes } = useFormatters()
  const { pinned } = usePinnedServers()

  return (
    <ul className={table.rows}>
      {rows.map((server) => {
        const state = power.stateOf(server.id)
        const { status, stats, last, history = [] } = usage.get(server.id) ?? {}
        const possible = possibleActions(state, status, (flag) => may(server.id, flag) === true)
        const facts = [
          statusLabel(t, state),
          ...(last
            ? [t('servers.LastKnown', { state: statusLabel(t, last.state), ago: relative(Date.parse(last.at)) })]
            : []),
          ...(stats ? [t('servers.CpuShort', { percent: percent(stats.cpu) }), bytes(stats.memory)] : []),
        ]
        return (
          <li key={server.id} className={classes.phoneRow}>
            {selection ? (
              <Checkbox
                aria-label={t('servers.Select', { name: server.name })}
                checked={selection.has(server.id)}
                onChange={() => selection.toggle(server.id)}
              />
            ) : (
              <span className={classes.phoneMark}>
                <StatusIcon state={state} />
              </span>
            )}
            <Link to={`/server/${server.id}`} className={classes.phoneLink}>
              <span className={classes.phoneName}>
                <span>{server.name}</span>
                {pinned.includes(server.id) && <IconStarFilled size={13} aria-label={t('servers.Pinned')} />}
              </span>
              <CodeText className={classes.phoneAddress ?? ''}>{addressOf(server)}</CodeText>
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
