import { addressOf } from '@innkeeper/contract/address'
import type { ServerView } from '@innkeeper/contract/servers'
import { IconStarFilled } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { usePower } from '../../features/servers/power.ts'
import type { Usage } from '../../features/servers/usage.ts'
import { useFormats, useText } from '../../i18n/text.tsx'
import { usePinnedServers } from '../../session/preferences.tsx'
import { Mono } from '../../ui/small.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { StatusMark, stateText } from '../../ui/status.tsx'
import table from '../../ui/table.module.css'
import { ServerMenu } from './lazy-server-menu.tsx'
import { actionsIn, type May } from './server-actions.ts'
import { PowerButton } from './server-table.tsx'
import classes from './servers-screen.module.css'

interface PhoneListProps {
  readonly rows: readonly ServerView[]
  readonly usage: ReadonlyMap<string, Usage>
  readonly power: ReturnType<typeof usePower>
  readonly may: May
}

/** Servers as rows of three short lines, each with one button. */
export function PhoneList({ rows, usage, power, may }: PhoneListProps) {
  const text = useText()
  const { ago, percent, bytes } = useFormats()
  const { pinned } = usePinnedServers()

  return (
    <ul className={table.rows}>
      {rows.map((server) => {
        const state = power.stateOf(server.id)
        const actions = actionsIn(state, server.id, may)
        const { stats, last, history = [] } = usage.get(server.id) ?? {}
        const facts = [
          stateText(text, state),
          ...(last
            ? [text('servers.LastKnown', { state: stateText(text, last.state), ago: ago(Date.parse(last.at)) })]
            : []),
          ...(stats ? [text('servers.CpuShort', { percent: percent(stats.cpu) }), bytes(stats.memory)] : []),
        ]
        return (
          <li key={server.id} className={classes.phoneRow}>
            <span className={classes.phoneMark}>
              <StatusMark state={state} />
            </span>
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
                values={history.map(({ cpu }) => cpu)}
                max={100}
                color="var(--ik-chart-1)"
                width={52}
                height={26}
              />
            )}
            {actions.length === 1 && actions[0] === 'start' ? (
              <PowerButton action="start" name={server.name} size={44} onClick={() => power.act(server, 'start')} />
            ) : (
              <ServerMenu
                isPhone
                server={server}
                actions={actions}
                onAct={(action) => power.act(server, action)}
                mayConsole={may(server.id, 'viewServerConsole')}
              />
            )}
          </li>
        )
      })}
    </ul>
  )
}
