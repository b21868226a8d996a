import { Badge, Box, Button, Divider, Group, Indicator, Menu, SegmentedControl, Text } from '@mantine/core'
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
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { ReadOnlyBadge } from '../../ui/feedback/read-only-badge.tsx'
import { moveInToolbar } from '../../ui/keyboard/move-in-grid.ts'
import { useArrowFocus } from '../../ui/keyboard/use-arrow-focus.ts'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { maxConsoleBytes } from './buffer.ts'
import classes from './console.module.css'
import { maxFontSize, minFontSize } from './preferences.ts'
import type { ConsoleState, FeedStatus } from './use-console.ts'

interface ConsoleToolbarProps {
  readonly ref: RefObject<HTMLDivElement | null>
  readonly state: ConsoleState
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
export function ConsoleToolbar({ ref, state }: ConsoleToolbarProps) {
  const { preferences, changePreferences, find, terminal, isTerminal, isPhone, isFullScreen } = state
  const t = useT()
  const moveFocus = useArrowFocus({
    move: moveInToolbar,
    root: ref,
    getRows: (toolbar) => [[...toolbar.querySelectorAll<HTMLElement>('button:not(:disabled)')]],
  })
  const pauseButton = !isTerminal && state.canPause && <PauseButton {...state} />
  const viewTools: readonly Tool[] = isTerminal
    ? []
    : [
        {
          label: t('console.Find'),
          icon: IconSearch,
          isActive: find.isOpen,
          onClick: find.isOpen ? find.close : find.open,
        },
        {
          label: t('console.HistoryOpen'),
          icon: IconHistory,
          isLabeled: true,
          onClick: () => state.setIsHistoryOpen(true),
        },
        {
          label: t('console.Timestamps'),
          icon: IconClock,
          isLabeled: true,
          isActive: preferences.timestamps,
          onClick: () => changePreferences({ timestamps: !preferences.timestamps }),
        },
        {
          label: t('console.Wrap'),
          icon: IconTextWrap,
          isActive: preferences.wrap,
          onClick: () => changePreferences({ wrap: !preferences.wrap }),
        },
      ]
  // The console of a phone has no room for the switch.
  const terminalTools: readonly Tool[] =
    terminal && !isTerminal
      ? [{ label: t('console.ShowTerminal'), icon: IconTerminal2, onClick: () => terminal.onShow(true) }]
      : []
  const outputTools: readonly Tool[] = [
    { label: t(isTerminal ? 'console.CopyTerminal' : 'console.Copy'), icon: IconCopy, onClick: state.copyShown },
    { label: t('console.Download'), icon: IconDownload, onClick: state.download },
    {
      label: t(isFullScreen ? 'console.ExitFullScreen' : 'console.FullScreen'),
      icon: isFullScreen ? IconArrowsMinimize : IconArrowsMaximize,
      onClick: state.toggleFullScreen,
    },
  ]

  return (
    <Group
      ref={ref}
      className={classes.toolbar}
      gap="2xs"
      wrap="nowrap"
      role="toolbar"
      aria-label={t('console.Tools')}
      data-keep-clear
      onKeyDown={moveFocus}
    >
      {terminal && !(isPhone && !isTerminal) && <ViewSwitch {...terminal} />}
      {isPhone && pauseButton}
      <StatusBadge {...state} />
      {!isTerminal && <BufferUsage size={state.buffer.size} />}
      <Box flex={1} miw={0} />
      {state.isReadOnly && <ReadOnlyBadge permission={t('console.SendPermission')} />}
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
      <MoreMenu
        state={state}
        tools={isPhone ? [...viewTools.slice(phoneTools), ...terminalTools, ...outputTools] : []}
      />
      {!isPhone && pauseButton && (
        <>
          <ToolDivider />
          {pauseButton}
        </>
      )}
    </Group>
  )
}

function ViewSwitch({ isShown, onShow }: NonNullable<ConsoleState['terminal']>) {
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
      value={isShown ? 'terminal' : 'console'}
      onChange={(next) => onShow(next === 'terminal')}
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

function StatusBadge({ feedStatus, view }: ConsoleState) {
  const t = useT()
  const status = view.isPaused ? 'paused' : feedStatus
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
    <IconButton
      label={label}
      className={`${classes.tool} ${isLabeled ? classes.labeled : ''}`}
      aria-pressed={isActive}
      onClick={onClick}
    >
      <Icon size={18} aria-hidden />
      {isLabeled && <span className={classes.toolLabel}>{label}</span>}
    </IconButton>
  )
}

function PauseButton({ view: { isPaused, unseen }, togglePause }: ConsoleState) {
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
        onClick={togglePause}
      >
        {label}
      </Button>
    </Indicator>
  )
}

function MoreMenu({ state, tools }: { state: ConsoleState; tools: readonly Tool[] }) {
  const t = useT()
  const { preferences, changePreferences, isTerminal } = state
  const { fontSize, readAloud, sidebar } = preferences
  return (
    <IconMenu label={t('console.More')} button={{ className: classes.tool }} withinPortal={!state.isFullScreen}>
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
        onClick={() => changePreferences({ fontSize: fontSize + 1 })}
      >
        {t('console.LargerText')}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconTextDecrease size={16} aria-hidden />}
        closeMenuOnClick={false}
        disabled={fontSize <= minFontSize}
        onClick={() => changePreferences({ fontSize: fontSize - 1 })}
      >
        {t('console.SmallerText')}
      </Menu.Item>
      {!isTerminal && (
        <Menu.CheckboxItem
          checked={preferences.hidesDoubleTimes}
          onChange={() => changePreferences({ hidesDoubleTimes: !preferences.hidesDoubleTimes })}
        >
          {t('console.HideDoubleTimes')}
        </Menu.CheckboxItem>
      )}
      <Menu.CheckboxItem checked={readAloud} onChange={() => changePreferences({ readAloud: !readAloud })}>
        {t(isTerminal ? 'console.ScreenReader' : 'console.AnnounceLines')}
      </Menu.CheckboxItem>
      {state.hasRoomForSidebar && (
        <Menu.Item
          leftSection={<IconLayoutSidebarRight size={16} data-flip aria-hidden />}
          onClick={() => changePreferences({ sidebar: !sidebar })}
        >
          {t(sidebar ? 'console.HideSidebar' : 'console.ShowSidebar')}
        </Menu.Item>
      )}
    </IconMenu>
  )
}
