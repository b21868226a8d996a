import type { ListedServer } from '@innkeeper/contract/servers/servers'
import { getAddress } from '@innkeeper/contract/text/address'
import { Skeleton } from '@mantine/core'
import { IconStarFilled } from '@tabler/icons-react'
import { memo } from 'react'
import { Link } from 'react-router'
import { toSparkline } from '../../features/servers/use-cpu-history.ts'
import type { Formatters } from '../../i18n/formatters.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { usePinnedServers } from '../../session/preferences.tsx'
import { Sparkline } from '../../ui/feedback/sparkline.tsx'
import { StatusIcon, statusLabel } from '../../ui/feedback/status.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import controls from '../../ui/lists/row-controls.module.css'
import type { Selection } from '../../ui/lists/use-selection.ts'
import {
  getRenderedRows,
  type ServerListProps,
  type ServerRow,
  toRow,
  useAvailableActions,
} from './list/server-list.ts'
import { PowerIconButton } from './power-icon-button.tsx'
import { ServerMenu } from './server-menu.tsx'
import classes from './servers.module.css'
import { LastKnown } from './usage-text.ts'

interface PhoneListProps extends ServerListProps {
  /** Absent unless select mode is on. */
  readonly selection: Selection<ListedServer> | undefined
}

/** Servers as rows of three lines, each with at most one power button. */
export function PhoneList({ selection, ...list }: PhoneListProps) {
  const t = useT()
  const formatters = useFormatters()
  const { pinned } = usePinnedServers()
  return (
    <RowList>
      {list.rendered && <li aria-hidden style={{ blockSize: list.rendered.before }} />}
      {getRenderedRows(list).map(({ index, server }) => {
        const place = list.rendered && { 'aria-posinset': index + 1, 'aria-setsize': list.rows.length }
        return server ? (
          <PhoneRow
            key={server.id}
            {...toRow(server, list)}
            {...{ t, formatters }}
            isSelected={selection?.has(server.id)}
            isPinned={pinned.includes(server.id)}
            {...place}
          />
        ) : (
          <li key={index} className={classes.phoneRow} {...place}>
            <Skeleton h={12} maw="12rem" />
          </li>
        )
      })}
      {list.rendered && <li aria-hidden style={{ blockSize: list.rendered.after }} />}
    </RowList>
  )
}

interface PhoneRowProps extends ServerRow {
  readonly t: TFunction
  readonly formatters: Formatters
  /** Undefined unless rows can be selected. */
  readonly isSelected: boolean | undefined
  readonly isPinned: boolean
  /** The place in a list that renders only some rows. */
  readonly 'aria-posinset'?: number
  readonly 'aria-setsize'?: number
}

const PhoneRow = memo(function PhoneRow({ isSelected, isPinned, ...row }: PhoneRowProps) {
  const { t, formatters, server, status, usage, cpuHistory, can, actions, ...place } = row
  const { id, name } = server
  const { stats, players, lastKnown, cpuMax = 100, history = [] } = usage ?? {}
  const available = useAvailableActions({ server, status, reported: usage?.status, can })
  const measured = stats
    ? [t('servers.CpuShort', { percent: formatters.percent(stats.cpu) }), formatters.fileSize(stats.memory)]
    : []
  const facts = [...(players ? [t('servers.Players', players)] : []), ...measured, ...server.tags]
  return (
    <li className={classes.phoneRow} {...place}>
      {isSelected === undefined ? (
        <span className={classes.phoneStatus}>
          <StatusIcon state={status} />
        </span>
      ) : (
        <input
          type="checkbox"
          className={controls.checkbox}
          aria-label={t('common.SelectNamed', { name })}
          checked={isSelected}
          onChange={() => actions.toggle(id)}
        />
      )}
      <Link to={`/server/${id}`} className={classes.phoneLink}>
        <span className={classes.line}>
          <span className={classes.name} dir="auto">
            {name}
          </span>
          {isPinned && (
            <IconStarFilled
              size={13}
              color="var(--ik-highlight)"
              aria-label={t('servers.Pinned')}
              className={classes.pinned}
            />
          )}
        </span>
        <code className={classes.second}>{getAddress(server)}</code>
        <span className={classes.second}>
          {statusLabel(t, status)}
          {lastKnown && (
            <>
              {' · '}
              <LastKnown {...lastKnown} />
            </>
          )}
          {facts.length > 0 && ` · ${formatters.facts(facts)}`}
        </span>
      </Link>
      {stats && <Sparkline values={toSparkline(cpuHistory, history)} max={cpuMax} width={52} height={26} />}
      {available.includes('start') && (
        <PowerIconButton
          {...{ t, status, name }}
          action="start"
          size={20}
          onClick={() => actions.run(server, 'start')}
        />
      )}
      <ServerMenu {...{ t, server, status, available, can, actions }} isPhone />
    </li>
  )
})
