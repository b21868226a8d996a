import {
  ActionIcon,
  Badge,
  Box,
  Button,
  Divider,
  Group,
  Indicator,
  Menu,
  SegmentedControl,
  Text,
  Tooltip,
} from '@mantine/core'
import {
  IconArrowsMaximize,
  IconArrowsMinimize,
  IconCircleFilled,
  IconClock,
  IconCopy,
  IconDownload,
  IconHistory,
  IconLayoutSidebarRight,
  IconPlayerPause,
  IconPlayerPlay,
  IconSearch,
  IconTerminal2,
  IconTextDecrease,
  IconTextIncrease,
  IconTextWrap,
  IconWifiOff,
  type TablerIcon,
} from '@tabler/icons-react'
import type { RefObject } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import type { TranslationKey } from '../../i18n/translation-key.ts'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { ReadOnlyBadge } from '../../ui/feedback/read-only-badge.tsx'
import { moveInToolbar } from '../../ui/keyboard/move-in-grid.ts'
import { useArrowFocus } from '../../ui/keyboard/use-arrow-focus.ts'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { maxConsoleBytes } from './buffer.ts'
import classes from './console.module.css'
import { type ConsolePreferences, maxFontSize, minFontSize } from './preferences.ts'

export type ConsoleViewType = 'console' | 'terminal'

/** How the console receives its output. */
export type FeedStatus = 'live' | 'connecting' | 'polling' | 'ended'

interface ConsoleToolbarProps {
  readonly ref: RefObject<HTMLDivElement | null>
  readonly view: ConsoleViewType
  /** Missing when there is only the console. */
  readonly onViewChange?: (view: ConsoleViewType) => void
  readonly feedStatus: FeedStatus
  readonly isPhone: boolean
  readonly isPaused: boolean
  /** The number of lines that arrived since the pause. */
  readonly unseen: number
  /** Estimated size of the buffer in bytes. */
  readonly size: number
  readonly preferences: ConsolePreferences
  readonly onPreferencesChange: (changes: Partial<ConsolePreferences>) => void
  readonly isFindOpen: boolean
  readonly isFullScreen: boolean
  readonly canSendCommands: boolean
  readonly hasSidebar: boolean
  readonly onFind: () => void
  readonly onHistory: () => void
  readonly onCopy: () => void
  readonly onDownload: () => void
  readonly onFullScreen: () => void
  readonly onPause: () => void
}

/** A button of the toolbar; on a phone some are items of its menu. */
interface Tool {
  readonly label: string
  readonly icon: TablerIcon
  readonly isActive?: boolean
  /** Wide consoles show the label too: the icon alone is mistaken for another one. */
  readonly isLabeled?: boolean
  readonly onClick: () => void
}

/** How many tools of the view a phone has room for; the others are in its menu. */
const phoneTools = 2

/** The actions of the console. Arrow keys move between its buttons. */
export function ConsoleToolbar(props: ConsoleToolbarProps) {
  const { preferences, onPreferencesChange, isPhone, isFullScreen } = props
  const t = useT()
  const moveFocus = useArrowFocus({
    move: moveInToolbar,
    root: props.ref,
    getRows: (toolbar) => [[...toolbar.querySelectorAll<HTMLElement>('button:not(:disabled)')]],
  })
  const isTerminal = props.view === 'terminal'
  const pauseButton = !isTerminal && (props.feedStatus !== 'ended' || props.isPaused) && <PauseButton {...props} />
  const viewTools: readonly Tool[] = isTerminal
    ? []
    : [
        { label: t('console.Find'), icon: IconSearch, isActive: props.isFindOpen, onClick: props.onFind },
        { label: t('console.HistoryOpen'), icon: IconHistory, isLabeled: true, onClick: props.onHistory },
        {
          label: t('console.Timestamps'),
          icon: IconClock,
          isLabeled: true,
          isActive: preferences.timestamps,
          onClick: () => onPreferencesChange({ timestamps: !preferences.timestamps }),
        },
        {
          label: t('console.Wrap'),
          icon: IconTextWrap,
          isActive: preferences.wrap,
          onClick: () => onPreferencesChange({ wrap: !preferences.wrap }),
        },
      ]
  // The console of a phone has no room for the switch.
  const terminalTools: readonly Tool[] =
    props.onViewChange && !isTerminal
      ? [{ label: t('console.ShowTerminal'), icon: IconTerminal2, onClick: () => props.onViewChange?.('terminal') }]
      : []
  const outputTools: readonly Tool[] = [
    { label: t(isTerminal ? 'console.CopyTerminal' : 'console.Copy'), icon: IconCopy, onClick: props.onCopy },
    { label: t('console.Download'), icon: IconDownload, onClick: props.onDownload },
    {
      label: t(isFullScreen ? 'console.ExitFullScreen' : 'console.FullScreen'),
      icon: isFullScreen ? IconArrowsMinimize : IconArrowsMaximize,
      onClick: props.onFullScreen,
    },
  ]

  return (
    <Group
      ref={props.ref}
      className={classes.toolbar}
      gap="2xs"
      wrap="nowrap"
      role="toolbar"
      aria-label={t('console.Tools')}
      data-keep-clear
      onKeyDown={moveFocus}
    >
      {props.onViewChange && !(isPhone && !isTerminal) && (
        <ViewSwitch view={props.view} onChange={props.onViewChange} />
      )}
      {isPhone && pauseButton}
      <StatusBadge {...props} />
      {!isTerminal && <BufferUsage size={props.size} />}
      <Box flex={1} miw={0} />
      {!props.canSendCommands && <ReadOnlyBadge permission={t('console.SendPermission')} />}
      {(isPhone ? viewTools.slice(0, phoneTools) : viewTools).map((tool) => (
        <ToolButton key={tool.label} {...tool} />
      ))}
      {!isPhone && (
        <>
          <ToolDivider />
          {outputTools.map((tool) => (
            <ToolButton key={tool.label} {...tool} />
          ))}
        </>
      )}
      <MoreMenu {...props} tools={isPhone ? [...viewTools.slice(phoneTools), ...terminalTools, ...outputTools] : []} />
      {!isPhone && pauseButton && (
        <>
          <ToolDivider />
          {pauseButton}
        </>
      )}
    </Group>
  )
}

function ViewSwitch({ view, onChange }: { view: ConsoleViewType; onChange: (view: ConsoleViewType) => void }) {
  const t = useT()
  return (
    <SegmentedControl
      size="xs"
      me="xs"
      aria-label={t('console.View')}
      data={[
        { value: 'console', label: t('server.TabConsole') },
        { value: 'terminal', label: t('console.Terminal') },
      ]}
      value={view}
      onChange={(next) => onChange(next as ConsoleViewType)}
    />
  )
}

const statusLabels: Readonly<Record<FeedStatus | 'paused', TranslationKey>> = {
  live: 'console.StatusLive',
  connecting: 'console.StatusConnecting',
  polling: 'console.StatusPolling',
  ended: 'console.StatusEnded',
  paused: 'console.StatusPaused',
}

function StatusBadge({ feedStatus, isPaused }: ConsoleToolbarProps) {
  const t = useT()
  const status = isPaused ? 'paused' : feedStatus
  return (
    <Badge
      className={`${classes.status} ${classes[status]}`}
      role="status"
      leftSection={
        status === 'polling' ? <IconWifiOff size={13} aria-hidden /> : <IconCircleFilled size={6} aria-hidden />
      }
    >
      {t(statusLabels[status])}
    </Badge>
  )
}

function BufferUsage({ size }: { size: number }) {
  const t = useT()
  const { fileSize } = useFormatters()
  // Not shown while there is room.
  if (size < maxConsoleBytes / 2) return null
  return (
    <Text className={classes.bufferUsage} truncate visibleFrom="sm">
      {t('console.BufferUsage', { used: fileSize(size, { decimals: 1 }), total: fileSize(maxConsoleBytes) })}
    </Text>
  )
}

function ToolDivider() {
  return <Divider orientation="vertical" mx="2xs" h="1.25rem" style={{ alignSelf: 'center' }} />
}

function ToolButton({ label, icon: Icon, isActive, isLabeled, onClick }: Tool) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        className={`${classes.tool} ${isLabeled ? classes.labeled : ''}`}
        aria-label={label}
        aria-pressed={isActive}
        onClick={onClick}
      >
        <Icon size={18} aria-hidden />
        {isLabeled && <span className={classes.toolLabel}>{label}</span>}
      </ActionIcon>
    </Tooltip>
  )
}

function PauseButton({ isPaused, unseen, onPause }: ConsoleToolbarProps) {
  const t = useT()
  const { number } = useFormatters()
  const hasUnseen = isPaused && unseen > 0
  const label = t(isPaused ? 'console.Resume' : 'console.Pause')
  return (
    <Indicator disabled={!hasUnseen} color="var(--ik-highlight)" withBorder offset={2}>
      <Button
        variant="default"
        size="xs"
        miw="5.75rem"
        aria-label={hasUnseen ? t('console.ResumeUnseen', { count: unseen, lines: number(unseen) }) : label}
        leftSection={isPaused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
        onClick={onPause}
      >
        {label}
      </Button>
    </Indicator>
  )
}

interface MoreMenuProps extends ConsoleToolbarProps {
  readonly tools: readonly Tool[]
}

function MoreMenu({ tools, preferences, onPreferencesChange, ...props }: MoreMenuProps) {
  const t = useT()
  const { fontSize, readAloud, sidebar } = preferences
  return (
    <IconMenu label={t('console.More')} button={{ className: classes.tool }} withinPortal={!props.isFullScreen}>
      {tools.map(({ label, icon: Icon, isActive, onClick }) =>
        isActive === undefined ? (
          <Menu.Item key={label} leftSection={<Icon size={16} aria-hidden />} onClick={onClick}>
            {label}
          </Menu.Item>
        ) : (
          <Menu.CheckboxItem key={label} checked={isActive} onChange={onClick}>
            {label}
          </Menu.CheckboxItem>
        ),
      )}
      <Menu.Item
        leftSection={<IconTextIncrease size={16} aria-hidden />}
        closeMenuOnClick={false}
        disabled={fontSize >= maxFontSize}
        onClick={() => onPreferencesChange({ fontSize: fontSize + 1 })}
      >
        {t('console.LargerText')}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconTextDecrease size={16} aria-hidden />}
        closeMenuOnClick={false}
        disabled={fontSize <= minFontSize}
        onClick={() => onPreferencesChange({ fontSize: fontSize - 1 })}
      >
        {t('console.SmallerText')}
      </Menu.Item>
      {props.view === 'console' && (
        <Menu.CheckboxItem
          checked={preferences.hidesDoubleTimes}
          onChange={() => onPreferencesChange({ hidesDoubleTimes: !preferences.hidesDoubleTimes })}
        >
          {t('console.HideDoubleTimes')}
        </Menu.CheckboxItem>
      )}
      <Menu.CheckboxItem checked={readAloud} onChange={() => onPreferencesChange({ readAloud: !readAloud })}>
        {t(props.view === 'terminal' ? 'console.ScreenReader' : 'console.AnnounceLines')}
      </Menu.CheckboxItem>
      {props.hasSidebar && (
        <Menu.Item
          leftSection={<IconLayoutSidebarRight size={16} data-flip aria-hidden />}
          onClick={() => onPreferencesChange({ sidebar: !sidebar })}
        >
          {t(sidebar ? 'console.HideSidebar' : 'console.ShowSidebar')}
        </Menu.Item>
      )}
    </IconMenu>
  )
}
