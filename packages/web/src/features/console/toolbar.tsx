import { limits } from '@innkeeper/contract/limits'
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core'
import {
  IconArrowsMaximize,
  IconArrowsMinimize,
  IconClock,
  IconCopy,
  IconDots,
  IconDownload,
  IconHistory,
  IconLayoutSidebarRight,
  IconPlayerPause,
  IconPlayerPlay,
  IconSearch,
  IconTextWrap,
  IconWifiOff,
} from '@tabler/icons-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { ReadOnlyBadge } from '../../ui/read-only-badge.tsx'
import classes from './console.module.css'
import { type ConsoleView, largestFont, smallestFont } from './preferences.ts'

/** How the console gets its lines. */
export type Feeding = 'live' | 'connecting' | 'polling' | 'ended'

interface ToolbarProps {
  readonly feeding: Feeding
  readonly isPhone: boolean
  readonly isPaused: boolean
  readonly unseen: number
  /** Estimated bytes held. */
  readonly size: number
  readonly view: ConsoleView
  readonly fontSize: number
  readonly onView: (part: Partial<ConsoleView>) => void
  readonly isFinding: boolean
  readonly isFull: boolean
  readonly mayCommand: boolean
  readonly hasRail: boolean
  readonly onFind: () => void
  readonly onHistory: () => void
  readonly onCopy: () => void
  readonly onDownload: () => void
  readonly onFull: () => void
  readonly onPause: () => void
}

/** What can be done with a console's output. Arrow keys move between its buttons. */
export function Toolbar(props: ToolbarProps) {
  const { view, onView, isPhone } = props
  const t = useT()
  // Nothing comes any more that could be held back.
  const canPause = props.feeding !== 'ended' || props.isPaused

  return (
    <div
      className={classes.toolbar}
      role="toolbar"
      aria-label={t('console.Tools')}
      data-keep-clear
      onKeyDown={moveFocus}
    >
      {isPhone && canPause && <PauseButton {...props} />}
      <State {...props} />
      <Used size={props.size} />
      <span className={classes.grow} />
      {!props.mayCommand && <ReadOnlyBadge permission={t('console.NeedsSend')} />}
      <Tool label={t('console.Find')} isOn={props.isFinding} onClick={props.onFind}>
        <IconSearch size={18} aria-hidden />
      </Tool>
      <Tool label={t('console.HistoryOpen')} onClick={props.onHistory}>
        <IconHistory size={18} aria-hidden />
      </Tool>
      <Tool
        label={t('console.Timestamps')}
        isOn={view.timestamps}
        onClick={() => onView({ timestamps: !view.timestamps })}
      >
        <IconClock size={18} aria-hidden />
      </Tool>
      <Tool label={t('console.Wrap')} isOn={view.wrap} onClick={() => onView({ wrap: !view.wrap })}>
        <IconTextWrap size={18} aria-hidden />
      </Tool>
      {!isPhone && <span className={classes.rule} />}
      {!isPhone && (
        <Tool label={t('console.Copy')} onClick={props.onCopy}>
          <IconCopy size={18} aria-hidden />
        </Tool>
      )}
      {!isPhone && (
        <Tool label={t('console.Download')} onClick={props.onDownload}>
          <IconDownload size={18} aria-hidden />
        </Tool>
      )}
      {!isPhone && (
        <Tool label={t(props.isFull ? 'console.LeaveFull' : 'console.Full')} onClick={props.onFull}>
          {props.isFull ? <IconArrowsMinimize size={18} aria-hidden /> : <IconArrowsMaximize size={18} aria-hidden />}
        </Tool>
      )}
      <More {...props} />
      {!isPhone && canPause && <span className={classes.rule} />}
      {!isPhone && canPause && <PauseButton {...props} />}
    </div>
  )
}

function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (step === undefined || !(event.target instanceof HTMLButtonElement)) return
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button:not(:disabled)')]
  const forwards = getComputedStyle(event.currentTarget).direction === 'rtl' ? -step : step
  const at = (buttons.indexOf(event.target) + forwards + buttons.length) % buttons.length
  buttons[at]?.focus()
  event.preventDefault()
}

const stateNames: Readonly<Record<Feeding | 'paused', string>> = {
  live: 'console.StateLive',
  connecting: 'console.StateConnecting',
  polling: 'console.StatePolling',
  ended: 'console.StateEnded',
  paused: 'console.StatePaused',
}

function State({ feeding, isPaused }: ToolbarProps) {
  const t = useT()
  const state = isPaused ? 'paused' : feeding
  return (
    <span className={`${classes.state} ${classes[state]}`} role="status">
      {state === 'polling' ? (
        <IconWifiOff size={13} aria-hidden />
      ) : (
        <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
          <circle cx="4" cy="4" r="3" fill="currentColor" />
        </svg>
      )}
      <span className={classes.stateName}>{t(stateNames[state])}</span>
    </span>
  )
}

function Used({ size }: { size: number }) {
  const t = useT()
  const { number } = useFormatters()
  const mebi = 1024 ** 2
  return (
    <span className={classes.use}>
      {t('console.Buffered', { used: number(size / mebi, 1), all: number(limits.consoleKeptBytes / mebi) })}
    </span>
  )
}

interface ToolProps {
  readonly label: string
  readonly isOn?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

function Tool({ label, isOn, onClick, children }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon className={classes.tool} aria-label={label} aria-pressed={isOn} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  )
}

function PauseButton({ isPaused, unseen, onPause }: ToolbarProps) {
  const t = useT()
  const { number } = useFormatters()
  const hasUnseen = isPaused && unseen > 0
  return (
    <Button
      variant="default"
      size="xs"
      className={classes.pauseButton}
      aria-label={
        hasUnseen
          ? t('console.ResumeUnseen', { count: unseen, lines: number(unseen) })
          : t(isPaused ? 'console.Resume' : 'console.Pause')
      }
      leftSection={isPaused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
      onClick={onPause}
    >
      {t(isPaused ? 'console.Resume' : 'console.Pause')}
      {hasUnseen && <span className={classes.dot} />}
    </Button>
  )
}

function More(props: ToolbarProps) {
  const { view, fontSize, onView, isPhone } = props
  const t = useT()
  const size = (pixels: number) => onView({ fontSize: Math.min(largestFont, Math.max(smallestFont, pixels)) })
  return (
    <Menu position="bottom-end" withinPortal={!props.isFull}>
      <Menu.Target>
        <ActionIcon className={classes.tool} aria-label={t('console.More')}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {isPhone && (
          <>
            <Menu.Item leftSection={<IconCopy size={16} aria-hidden />} onClick={props.onCopy}>
              {t('console.Copy')}
            </Menu.Item>
            <Menu.Item leftSection={<IconDownload size={16} aria-hidden />} onClick={props.onDownload}>
              {t('console.Download')}
            </Menu.Item>
            <Menu.Item leftSection={<IconArrowsMaximize size={16} aria-hidden />} onClick={props.onFull}>
              {t(props.isFull ? 'console.LeaveFull' : 'console.Full')}
            </Menu.Item>
          </>
        )}
        <Menu.Item closeMenuOnClick={false} disabled={fontSize >= largestFont} onClick={() => size(fontSize + 1)}>
          {t('console.Larger', { size: fontSize })}
        </Menu.Item>
        <Menu.Item closeMenuOnClick={false} disabled={fontSize <= smallestFont} onClick={() => size(fontSize - 1)}>
          {t('console.Smaller', { size: fontSize })}
        </Menu.Item>
        <Menu.Item
          role="menuitemcheckbox"
          aria-checked={view.readAloud}
          onClick={() => onView({ readAloud: !view.readAloud })}
        >
          {t(view.readAloud ? 'console.StopReading' : 'console.ReadAloud')}
        </Menu.Item>
        {props.hasRail && (
          <Menu.Item
            leftSection={<IconLayoutSidebarRight size={16} data-flip aria-hidden />}
            onClick={() => onView({ rail: !view.rail })}
          >
            {t(view.rail ? 'console.HideRail' : 'console.ShowRail')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
