import { useClipboard, useWindowEvent } from '@mantine/hooks'
import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { saveAsFile } from '../../ui/feedback/save-as-file.ts'
import { useIsPhone } from '../../ui/layout/page.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import type { ConsoleBuffer, Lines } from './buffer.ts'
import { getLogFileName, toPlainText } from './log-text.ts'
import { useConsolePreferences } from './preferences.ts'
import { getTimeFormat } from './time-format.ts'
import { useCommands } from './use-commands.ts'
import { useConsoleView } from './use-console-view.ts'
import { useFind } from './use-find.ts'

/** Why no command can be sent: the server is off, it is not ready yet, or its node or the panel does not respond. */
export type CommandDisabledReason = 'off' | 'busy' | 'node' | 'panel'

/** How the console receives its output. */
export type FeedStatus = 'live' | 'connecting' | 'polling' | 'ended'

interface Terminal {
  focus(): void
  /** The selected text, or else the screen. */
  getText(): string
  paste(text: string): void
}

/** What the toolbar sets and does for a terminal. */
export interface TerminalSettings {
  /** In pixels. */
  readonly fontSize: number
  readonly screenReader: boolean
  readonly isPhone: boolean
  readonly handleRef: RefObject<Terminal | null>
  readonly onLeave: () => void
  readonly onCopy: (text: string) => void
}

export interface ConsoleOptions {
  readonly server: { readonly id: string; readonly name: string }
  readonly buffer: ConsoleBuffer
  readonly feedStatus: FeedStatus
  readonly canSendCommands: boolean
  /** Why no command can be sent now. */
  readonly disabledReason: CommandDisabledReason | undefined
  readonly onCommand: (command: string) => void
  /** Shows the output as a terminal does. Missing when the server does not run on one. */
  readonly terminal?: {
    readonly isShown: boolean
    readonly onShow: (isShown: boolean) => void
    readonly render: (settings: TerminalSettings) => ReactNode
  }
  readonly hasRoomForSidebar: boolean
}

export type ConsoleState = ReturnType<typeof useConsole>

/** The state of a server's console, and what its toolbar, keys and input do. */
export function useConsole(options: ConsoleOptions) {
  const { server, buffer, feedStatus, disabledReason, onCommand, terminal, hasRoomForSidebar } = options
  const hasEnded = feedStatus === 'ended'
  const t = useT()
  const formatters = useFormatters()
  const isPhone = useIsPhone()
  const { preferences, change } = useConsolePreferences(isPhone)
  const view = useConsoleView(buffer)
  const find = useFind(view.lines)
  const commands = useCommands(server.id)
  const [isFullScreen, setIsFullScreen] = useState(false)
  const [isHistoryOpen, setIsHistoryOpen] = useState(false)
  const scrollerRef = useRef<HTMLDivElement>(null)
  const inputRef = useRef<HTMLInputElement>(null)
  const terminalRef = useRef<Terminal>(null)
  const { copy } = useClipboard()
  useWindowEvent('keydown', (event) => {
    if (isFullScreen && event.key === 'Escape' && !event.defaultPrevented) setIsFullScreen(false)
  })

  const copyText = (text: string) => {
    copy(text)
    toast.success(t('common.Copied'))
  }
  return {
    server,
    buffer,
    feedStatus,
    disabledReason,
    terminal,
    hasRoomForSidebar,
    isPhone,
    preferences,
    changePreferences: change,
    view,
    find,
    commands,
    isFullScreen,
    toggleFullScreen: () => setIsFullScreen(!isFullScreen),
    isHistoryOpen,
    setIsHistoryOpen,
    scrollerRef,
    inputRef,
    terminalRef,
    isTerminal: terminal?.isShown ?? false,
    isReadOnly: !options.canSendCommands,
    canSendCommands: options.canSendCommands && !hasEnded,
    canPause: !hasEnded || view.isPaused,
    togglePause: () => (view.isPaused ? view.resume() : view.pause()),
    focusInput: () => (terminalRef.current ?? inputRef.current)?.focus(),
    send(command: string) {
      onCommand(command)
      commands.addToHistory(command)
      commands.setDraft('')
      view.follow(true)
    },
    fill(command: string) {
      if (terminalRef.current) return terminalRef.current.paste(command)
      commands.setDraft(command)
      inputRef.current?.focus()
    },
    copyText,
    copyShown() {
      if (terminalRef.current) copyText(terminalRef.current.getText())
      else if (scrollerRef.current) {
        const formatTime = preferences.timestamps ? getTimeFormat(formatters, view.lines) : undefined
        copyText(getCopiedText(scrollerRef.current, view.lines, formatTime))
      }
    },
    download: () => saveAsFile(getLogFileName(server.name, new Date()), toPlainText(buffer)),
  }
}

type FormatTime = ((time: number) => string) | undefined

/** Returns the text to copy: the selection inside the scroller, otherwise the visible lines. */
function getCopiedText(scroller: HTMLElement, lines: Lines, formatTime: FormatTime): string {
  const selection = document.getSelection()
  const isSelected = selection && !selection.isCollapsed && scroller.contains(selection.anchorNode)
  return isSelected ? selectedText(selection, scroller, lines, formatTime) : visibleText(scroller, lines, formatTime)
}

const getRows = (scroller: HTMLElement) => [...scroller.querySelectorAll<HTMLElement>('[data-line]')]

/** Returns the selected text. When several lines are selected, each gets its time. */
function selectedText(selection: Selection, scroller: HTMLElement, lines: Lines, formatTime: FormatTime): string {
  const text = selection.toString()
  const parts = text.split('\n')
  const rows = getRows(scroller).filter((row) => selection.containsNode(row, true))
  if (!formatTime || parts.length < 2 || rows.length !== parts.length) return text
  return parts
    .map((part, index) => {
      const time = lines.at(Number(rows[index]?.dataset.line))?.time
      return time === undefined ? part : `[${formatTime(time * 1000)}] ${part}`
    })
    .join('\n')
}

function visibleText(scroller: HTMLElement, lines: Lines, formatTime: FormatTime): string {
  const { top, bottom } = scroller.getBoundingClientRect()
  const numbers = getRows(scroller)
    .filter((row) => row.getBoundingClientRect().bottom > top && row.getBoundingClientRect().top < bottom)
    .map((row) => Number(row.dataset.line))
  return toPlainText(lines, { from: numbers[0] ?? 0, end: (numbers.at(-1) ?? -1) + 1, formatTime })
}
