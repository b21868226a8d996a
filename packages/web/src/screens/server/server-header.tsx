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
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import type { StatsHistory } from '../../realtime/stats-history.ts'
import { CodeText } from '../../ui/code-text.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { LayoutContext, useFocusHeading } from '../../ui/page.tsx'
import { StatusLabel, toDisplayStatus } from '../../ui/status.tsx'
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
  const t = useT()
  const { shortTime, shortDateTime, dateTime } = useFormatters()
  const at = Date.parse(status?.since ?? '')
  if (!status || Number.isNaN(at)) return null
  const isStopping = power.state === 'stopping' || power.state === 'restarting'
  if (status.state === 'stopping' && isStopping) return <StopClock since={status.since} />
  if (toDisplayStatus(status) !== power.state) return null
  const isToday = new Date(at).toDateString() === new Date().toDateString()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard
    <time className={classes.since} dateTime={status.since} data-tip={dateTime(at)} tabIndex={0}>
      {t('server.Since', { time: isToday ? shortTime(at) : shortDateTime(at) })}
    </time>
  )
}

/** What a server is, how it is, and what can be done with it; on every tab. */
export function ServerHeader({ server, power, status, mayRename, onRename }: HeaderProps) {
  const t = useT()
  const title = useRef<HTMLHeadingElement>(null)
  useFocusHeading(title)
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
            <Tooltip label={t('server.Rename')}>
              <ActionIcon size={28} aria-label={t('server.Rename')} onClick={onRename}>
                <IconPencil size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
          <Since status={status} power={power} />
        </div>
        <div className={classes.facts}>
          <span className={classes.address}>
            <CodeText>{address}</CodeText>
            <CopyButton value={address} label={t('server.CopyAddress')} size={24} />
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
  const t = useT()
  const { bytes, percent } = useFormatters()
  const { phoneActions } = use(LayoutContext)
  const title = useRef<HTMLHeadingElement>(null)
  useFocusHeading(title)
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
              <ActionIcon size={44} aria-label={t('common.More')}>
                <IconDotsVertical size={22} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <PowerMenuItems power={power} {...(hasPowerRow ? { only: ['install'] as const } : {})} />
              {mayRename && (
                <Menu.Item leftSection={<IconPencil size={18} aria-hidden />} onClick={onRename}>
                  {t('server.Rename')}
                </Menu.Item>
              )}
              <Menu.Item
                leftSection={<IconCopy size={18} aria-hidden />}
                onClick={() => {
                  copy(addressOf(server))
                  toast.success(t('common.Copied'))
                }}
              >
                {t('server.CopyAddress')}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>,
          phoneActions,
        )}
    </>
  )
}
