import { addressOf } from '@innkeeper/contract/address'
import type { ServerView } from '@innkeeper/contract/servers'
import type { ServerStatus } from '@innkeeper/contract/status'
import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCopy, IconDotsVertical, IconPencil } from '@tabler/icons-react'
import { use, useRef } from 'react'
import { createPortal } from 'react-dom'
import { PowerButtons, PowerMenuItems, StopClock } from '../../features/power/power-buttons.tsx'
import type { Power } from '../../features/power/use-power.tsx'
import { useFormats, useText } from '../../i18n/text.tsx'
import type { StatsHistory } from '../../live/stats-history.ts'
import { FrameContext, useTitleFocus } from '../../ui/page.tsx'
import { CopyButton, Mono } from '../../ui/small.tsx'
import { reportedState, StatusLabel } from '../../ui/status.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './server.module.css'

interface HeaderProps {
  readonly server: ServerView
  readonly power: Power
  readonly status: ServerStatus | undefined
  readonly mayRename: boolean
  readonly onRename: () => void
}

/** Since when the node reports the state that is shown; a stop is counted, also that of a restart. */
function Since({ status, power }: Pick<HeaderProps, 'status' | 'power'>) {
  const text = useText()
  const { clock, day, dateTime } = useFormats()
  const at = Date.parse(status?.since ?? '')
  if (!status || Number.isNaN(at)) return null
  const isStopping = power.state === 'stopping' || power.state === 'restarting'
  if (status.state === 'stopping' && isStopping) return <StopClock since={status.since} />
  if (reportedState(status) !== power.state) return null
  const isToday = new Date(at).toDateString() === new Date().toDateString()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard
    <time className={classes.since} dateTime={status.since} data-tip={dateTime(at)} tabIndex={0}>
      {text('server.Since', { time: isToday ? clock(at) : day(at) })}
    </time>
  )
}

/** What a server is, how it is, and what can be done with it; on every tab. */
export function ServerHeader({ server, power, status, mayRename, onRename }: HeaderProps) {
  const text = useText()
  const title = useRef<HTMLHeadingElement>(null)
  useTitleFocus(title)
  const address = addressOf(server)

  return (
    <header className={classes.header} data-keep-clear>
      <div className={classes.identity}>
        <div className={classes.names}>
          <span role="status">
            <StatusLabel state={power.state} />
          </span>
          <h1 ref={title} tabIndex={-1}>
            {server.name}
          </h1>
          {mayRename && (
            <Tooltip label={text('server.Rename')}>
              <ActionIcon size={28} aria-label={text('server.Rename')} onClick={onRename}>
                <IconPencil size={16} stroke={1.6} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
          <Since status={status} power={power} />
        </div>
        <div className={classes.facts}>
          <span className={classes.address}>
            <Mono>{address}</Mono>
            <CopyButton value={address} label={text('server.CopyAddress')} size={24} />
          </span>
          <span aria-hidden="true">·</span>
          <span>{server.node.name}</span>
        </div>
      </div>
      <PowerButtons power={power} />
    </header>
  )
}

interface PhoneHeaderProps extends HeaderProps {
  /** Power stands above the console, and in the menu elsewhere. */
  readonly hasPowerRow: boolean
  readonly stats: StatsHistory | undefined
}

/** The same on a phone: the state under the title of the top bar, the rest in its menu. */
export function PhoneHeader({ server, power, status, mayRename, onRename, hasPowerRow, stats }: PhoneHeaderProps) {
  const text = useText()
  const { bytes, percent } = useFormats()
  const { phoneActions } = use(FrameContext)
  const title = useRef<HTMLHeadingElement>(null)
  useTitleFocus(title)
  const { copy } = useClipboard()
  const latest = stats?.at(-1)
  const measured = latest?.isBlank ? undefined : latest
  const isRunning = status?.running === true

  return (
    <>
      <header className={classes.phoneHeader} data-keep-clear>
        <h1 ref={title} tabIndex={-1} className={classes.unseen}>
          {server.name}
        </h1>
        <span role="status">
          <StatusLabel state={power.state} />
        </span>
        <Since status={status} power={power} />
        <span className={classes.usage}>
          {hasPowerRow && measured && isRunning
            ? `${percent(measured.cpu)} · ${bytes(measured.memory)}`
            : server.node.name}
        </span>
      </header>
      {phoneActions &&
        createPortal(
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon size={44} aria-label={text('common.More')}>
                <IconDotsVertical size={22} stroke={1.6} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <PowerMenuItems power={power} {...(hasPowerRow ? { only: ['install'] as const } : {})} />
              {mayRename && (
                <Menu.Item leftSection={<IconPencil size={18} aria-hidden />} onClick={onRename}>
                  {text('server.Rename')}
                </Menu.Item>
              )}
              <Menu.Item
                leftSection={<IconCopy size={18} aria-hidden />}
                onClick={() => {
                  copy(addressOf(server))
                  toast.success(text('common.Copied'))
                }}
              >
                {text('server.CopyAddress')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>,
          phoneActions,
        )}
    </>
  )
}
