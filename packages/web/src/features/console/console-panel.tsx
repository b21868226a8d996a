import { Button, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { stripAnsi } from './ansi.ts'
import type { ConsoleBuffer } from './buffer.ts'
import { CommandInput } from './command-input.tsx'
import classes from './console.module.css'
import { ConsoleOutput } from './console-output.tsx'
import { ConsoleToolbar } from './console-toolbar.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { type ConsoleOptions, type ConsoleState, useConsole } from './use-console.ts'
import { useConsoleHotkeys } from './use-console-hotkeys.tsx'

interface ConsolePanelProps extends ConsoleOptions {
  /** Rendered beside the console; it can fill the command input or send a command. */
  readonly sidebar?: (actions: Pick<ConsoleState, 'fill' | 'send'>) => ReactNode
}

/** The console of a server: its output, a toolbar and an input for commands. */
export function ConsolePanel({ sidebar, ...options }: ConsolePanelProps) {
  const { server, buffer, terminal } = options
  const t = useT()
  const state = useConsole(options)
  const { preferences, commands, find, canSendCommands, scrollerRef } = state
  const toolbarRef = useRef<HTMLDivElement>(null)
  useConsoleHotkeys(state)

  return (
    <>
      <section
        className={`${classes.panel} ${state.isFullScreen ? classes.fullScreen : ''}`}
        aria-label={t('server.TabConsole')}
        onKeyDown={(event) => {
          if (state.isTerminal) return
          if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return
          event.preventDefault()
          find.open()
        }}
      >
        <ConsoleToolbar ref={toolbarRef} state={state} />
        {terminal?.isShown ? (
          terminal.render({
            fontSize: preferences.fontSize,
            screenReader: preferences.readAloud,
            isPhone: state.isPhone,
            handleRef: state.terminalRef,
            onLeave: () => toolbarRef.current?.querySelector<HTMLElement>('input:checked')?.focus(),
            onCopy: state.copyText,
          })
        ) : (
          <>
            <ConsoleOutput {...state} />
            {!canSendCommands && commands.draft.trim() !== '' && (
              <UnsentCommand command={commands.draft} onClose={() => commands.setDraft('')} />
            )}
            {canSendCommands && <CommandInput {...state} />}
          </>
        )}
        {preferences.readAloud && !state.isTerminal && <Announcer buffer={buffer} />}
        {state.isHistoryOpen && (
          <HistoryPanel
            server={server.id}
            name={server.name}
            preferences={preferences}
            onClose={() => {
              state.setIsHistoryOpen(false)
              scrollerRef.current?.focus()
            }}
          />
        )}
      </section>
      {preferences.sidebar && options.hasRoomForSidebar && sidebar?.(state)}
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

const announceEveryMs = 2_000
/** When more lines arrive within the interval, only their number is announced. */
const maxLines = 3

/** Announces new lines to screen readers. */
function Announcer({ buffer }: { buffer: ConsoleBuffer }) {
  const t = useT()
  const { number } = useFormatters()
  const [announcement, setAnnouncement] = useState('')
  const announcedTo = useRef(buffer.end)

  useEffect(() => {
    announcedTo.current = buffer.end
    const timer = setInterval(() => {
      const first = Math.max(announcedTo.current, buffer.first)
      const count = buffer.end - first
      announcedTo.current = buffer.end
      if (count <= 0) return
      const lines = Array.from({ length: Math.min(count, maxLines) }, (_, index) =>
        stripAnsi(buffer.at(first + index)?.text ?? ''),
      )
      setAnnouncement(count > maxLines ? t('console.MoreLines', { count, lines: number(count) }) : lines.join('\n'))
    }, announceEveryMs)
    return () => clearInterval(timer)
  }, [buffer, t, number])

  return (
    <VisuallyHidden role="status" aria-live="polite">
      {announcement}
    </VisuallyHidden>
  )
}
