import { Button } from '@mantine/core'
import { useClipboard, useWindowEvent } from '@mantine/hooks'
import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { saveAsFile } from '../../ui/feedback/save-as-file.ts'
import { useIsPhone } from '../../ui/layout/page.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { Announcer } from './announcer.tsx'
import type { ConsoleBuffer } from './buffer.ts'
import { type CommandDisabledReason, CommandInput } from './command-input.tsx'
import classes from './console.module.css'
import { ConsoleOutput } from './console-output.tsx'
import { ConsoleToolbar, type ConsoleViewType, type FeedStatus } from './console-toolbar.tsx'
import { getCopiedText } from './copied-text.ts'
import { HistoryPanel } from './history-panel.tsx'
import { getLogFileName, toPlainText } from './log-text.ts'
import { useConsolePreferences } from './preferences.ts'
import { getTimeFormat } from './time-format.ts'
import { useCommands } from './use-commands.ts'
import { useConsoleHotkeys } from './use-console-hotkeys.tsx'
import { useConsoleView } from './use-console-view.ts'
import { useFind } from './use-find.ts'

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

interface ConsolePanelProps {
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
  /** Rendered beside the console; it can fill the command input or send a command. */
  readonly sidebar?: (actions: { fill: (command: string) => void; send: (command: string) => void }) => ReactNode
  readonly hasRoomForSidebar: boolean
}

/** The console of a server: its output, a toolbar and an input for commands. */
export function ConsolePanel(props: ConsolePanelProps) {
  const { server, buffer, feedStatus, disabledReason, onCommand } = props
  const hasEnded = feedStatus === 'ended'
  const canSendCommands = props.canSendCommands && !hasEnded
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
  const toolbarRef = useRef<HTMLDivElement>(null)
  const { terminal } = props
  const viewType: ConsoleViewType = terminal?.isShown ? 'terminal' : 'console'
  const { copy } = useClipboard()

  const togglePause = () => (view.isPaused ? view.resume() : view.pause())
  const send = (command: string) => {
    onCommand(command)
    commands.addToHistory(command)
    commands.setDraft('')
    view.follow(true)
  }
  const fill = (command: string) => {
    if (terminalRef.current) return terminalRef.current.paste(command)
    commands.setDraft(command)
    inputRef.current?.focus()
  }
  const copyText = (text: string) => {
    copy(text)
    toast.success(t('common.Copied'))
  }
  const copyShown = () => {
    if (terminalRef.current) copyText(terminalRef.current.getText())
    else if (scrollerRef.current) {
      const formatTime = preferences.timestamps ? getTimeFormat(formatters, view.lines) : undefined
      copyText(getCopiedText(scrollerRef.current, view.lines, formatTime))
    }
  }

  useConsoleHotkeys({
    view: viewType,
    isPaused: view.isPaused,
    canPause: !hasEnded || view.isPaused,
    canSendCommands,
    onPause: togglePause,
    onType: () => (terminalRef.current ?? inputRef.current)?.focus(),
    onShowTerminal: terminal?.onShow,
  })
  useWindowEvent('keydown', (event) => {
    if (isFullScreen && event.key === 'Escape' && !event.defaultPrevented) setIsFullScreen(false)
  })

  return (
    <>
      <section
        className={`${classes.panel} ${isFullScreen ? classes.fullScreen : ''}`}
        aria-label={t('server.TabConsole')}
        onKeyDown={(event) => {
          if (viewType === 'terminal') return
          if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return
          event.preventDefault()
          find.open()
        }}
      >
        <ConsoleToolbar
          ref={toolbarRef}
          view={viewType}
          {...(terminal && { onViewChange: (next) => terminal.onShow(next === 'terminal') })}
          feedStatus={feedStatus}
          isPhone={isPhone}
          isPaused={view.isPaused}
          unseen={view.unseen}
          size={buffer.size}
          preferences={preferences}
          onPreferencesChange={change}
          isFindOpen={find.isOpen}
          isFullScreen={isFullScreen}
          canSendCommands={props.canSendCommands}
          hasSidebar={props.hasRoomForSidebar}
          onHistory={() => setIsHistoryOpen(true)}
          onFind={() => (find.isOpen ? find.close() : find.open())}
          onCopy={copyShown}
          onDownload={() => saveAsFile(getLogFileName(server.name, new Date()), toPlainText(buffer))}
          onFullScreen={() => setIsFullScreen(!isFullScreen)}
          onPause={togglePause}
        />
        {terminal?.isShown ? (
          terminal.render({
            fontSize: preferences.fontSize,
            screenReader: preferences.readAloud,
            isPhone,
            handleRef: terminalRef,
            onLeave: () => toolbarRef.current?.querySelector<HTMLElement>('input:checked')?.focus(),
            onCopy: copyText,
          })
        ) : (
          <>
            <ConsoleOutput
              view={view}
              find={find}
              preferences={preferences}
              scrollerRef={scrollerRef}
              isStale={disabledReason === 'panel' || disabledReason === 'node'}
              isOff={disabledReason === 'off'}
              onHistory={() => setIsHistoryOpen(true)}
            />
            {!canSendCommands && commands.draft.trim() !== '' && (
              <UnsentCommand command={commands.draft} onClose={() => commands.setDraft('')} />
            )}
            {canSendCommands && (
              <CommandInput
                inputRef={inputRef}
                value={commands.draft}
                onChange={commands.setDraft}
                onSend={send}
                history={commands.history}
                disabledReason={disabledReason}
                isPhone={isPhone}
              />
            )}
          </>
        )}
        {preferences.readAloud && viewType === 'console' && <Announcer buffer={buffer} />}
        {isHistoryOpen && (
          <HistoryPanel
            server={server.id}
            name={server.name}
            preferences={preferences}
            onClose={() => {
              setIsHistoryOpen(false)
              scrollerRef.current?.focus()
            }}
          />
        )}
      </section>
      {preferences.sidebar && props.hasRoomForSidebar && props.sidebar?.({ fill, send })}
    </>
  )
}

/** Keeps the draft of a user who lost the permission to send it. */
function UnsentCommand({ command, onClose }: { command: string; onClose: () => void }) {
  const t = useT()
  return (
    <Alert
      type="warning"
      role="status"
      action={
        <>
          <CopyButton value={command} label={t('console.CopyCommand')} />
          <Button size="xs" variant="subtle" onClick={onClose}>
            {t('common.Close')}
          </Button>
        </>
      }
    >
      {t('console.NotSent', { command })}
    </Alert>
  )
}
