import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconArrowDown } from '@tabler/icons-react'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { saveAsFile } from '../../ui/save-as-file.ts'
import { toast } from '../../ui/toast.tsx'
import { Announcer } from './announcer.tsx'
import type { ConsoleBuffer, Lines } from './buffer.ts'
import { CommandInput, type CommandObstacle } from './command-input.tsx'
import classes from './console.module.css'
import { FindBar } from './find-bar.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { LogList } from './log-list.tsx'
import { logNameOf, plainTextOf } from './log-text.ts'
import { type ConsoleView, useConsoleView } from './preferences.ts'
import { type Feeding, Toolbar } from './toolbar.tsx'
import { useCommands } from './use-commands.ts'
import { useFind } from './use-find.ts'
import { useFrames, useLines } from './use-lines.ts'

interface ConsolePanelProps {
  readonly server: { readonly id: string; readonly name: string }
  readonly buffer: ConsoleBuffer
  readonly feeding: Feeding
  readonly mayCommand: boolean
  /** Why no command can be sent now. */
  readonly obstacle: CommandObstacle | undefined
  readonly onCommand: (command: string) => void
  /** Beside the console where there is room; it may fill the input or send. */
  readonly rail?: (use: { fill: (command: string) => void; send: (command: string) => void }) => ReactNode
  readonly hasRoomForRail: boolean
}

/** The console of a server: output that can be searched, held and kept, and a line to type commands in. */
export function ConsolePanel(props: ConsolePanelProps) {
  const { server, buffer, feeding, obstacle, onCommand } = props
  const hasEnded = feeding === 'ended'
  const mayCommand = props.mayCommand && !hasEnded
  const t = useT()
  const { number, time } = useFormatters()
  const isPhone = useIsPhone()
  const { view, change } = useConsoleView(isPhone)
  const shown = useLines(buffer)
  const find = useFind(shown.lines)
  const commands = useCommands(server.id)
  const [isFull, setIsFull] = useState(false)
  const [looksBack, setLooksBack] = useState(false)
  const scroller = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const { copy } = useClipboard()

  const pauseOrResume = () => (shown.isPaused ? shown.resume() : shown.pause())
  const send = (command: string) => {
    onCommand(command)
    commands.remember(command)
    commands.type('')
    shown.follow(true)
  }
  const fill = (command: string) => {
    commands.type(command)
    field.current?.focus()
  }
  const copyShown = () => {
    const selected = document.getSelection()
    const isOurs = selected && !selected.isCollapsed && scroller.current?.contains(selected.anchorNode)
    const timeOf = view.timestamps ? time : undefined
    copy(
      isOurs
        ? selectedText(selected, scroller.current, shown.lines, timeOf)
        : visibleText(scroller.current, shown.lines, timeOf),
    )
    toast.success(t('console.Copied'))
  }

  const group = t('console.Console')
  useHotkeys([
    {
      keys: 'c p',
      label: t(shown.isPaused ? 'console.Resume' : 'console.Pause'),
      group,
      isContextual: true,
      enabled: !hasEnded || shown.isPaused,
      run: pauseOrResume,
    },
    {
      keys: 'c i',
      label: t('console.TypeCommand'),
      group,
      isContextual: true,
      enabled: mayCommand,
      run: () => field.current?.focus(),
    },
  ])
  useEscape(isFull, () => setIsFull(false))

  return (
    <>
      <section
        className={`${classes.panel} ${isFull ? classes.full : ''}`}
        aria-label={group}
        onKeyDown={(event) => {
          if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return
          event.preventDefault()
          find.open()
        }}
      >
        <Toolbar
          feeding={feeding}
          isPhone={isPhone}
          isPaused={shown.isPaused}
          unseen={shown.unseen}
          size={buffer.size}
          view={view}
          fontSize={fontSizeOf(view, isPhone)}
          onView={change}
          isFinding={find.isOpen}
          isFull={isFull}
          mayCommand={props.mayCommand}
          hasRail={props.hasRoomForRail}
          onHistory={() => setLooksBack(true)}
          onFind={() => (find.isOpen ? find.close() : find.open())}
          onCopy={copyShown}
          onDownload={() => saveAsFile(logNameOf(server.name, new Date()), plainTextOf(buffer))}
          onFull={() => setIsFull(!isFull)}
          onPause={pauseOrResume}
        />
        <div className={`${classes.screen} ${obstacle === 'panel' || obstacle === 'node' ? classes.dimmed : ''}`}>
          <LogList
            lines={shown.lines}
            following={shown.isFollowing}
            onFollow={shown.follow}
            wrap={view.wrap}
            timestamps={view.timestamps}
            fontSize={fontSizeOf(view, isPhone)}
            lineHeight={fontSizeOf(view, isPhone) + (isPhone ? 6 : 7)}
            finder={find.finder}
            current={find.current}
            scroller={scroller}
            head={
              shown.lines.first > 0 ? (
                <div className={`${classes.head} ${classes.quiet}`}>
                  {t('console.OlderDropped')}{' '}
                  <button type="button" className={classes.back} onClick={() => setLooksBack(true)}>
                    {t('console.HistoryOpen')}
                  </button>
                </div>
              ) : undefined
            }
          />
          <NothingYet lines={shown.lines} />
          {find.isOpen && (
            <FindBar
              query={find.query}
              onQuery={find.look}
              isValid={find.isValid}
              count={find.count}
              position={find.position}
              onStep={find.step}
              onClose={() => {
                find.close()
                scroller.current?.focus()
              }}
            />
          )}
          {!shown.isFollowing && (shown.unseen > 0 || !shown.isPaused) && (
            <button type="button" className={classes.pill} onClick={shown.resume}>
              {shown.unseen > 0
                ? t('console.NewLines', { count: shown.unseen, lines: number(shown.unseen) })
                : t('console.ToTheEnd')}
              <IconArrowDown size={16} aria-hidden />
            </button>
          )}
        </div>
        {!mayCommand && commands.draft.trim() !== '' && (
          <UnsentCommand command={commands.draft} onClose={() => commands.type('')} />
        )}
        {mayCommand && (
          <CommandInput
            field={field}
            value={commands.draft}
            onChange={commands.type}
            onSend={send}
            history={commands.history}
            obstacle={obstacle}
            isPhone={isPhone}
          />
        )}
        {view.readAloud && <Announcer buffer={buffer} />}
        {looksBack && (
          <HistoryPanel
            server={server.id}
            name={server.name}
            view={view}
            fontSize={fontSizeOf(view, isPhone)}
            lineHeight={fontSizeOf(view, isPhone) + (isPhone ? 6 : 7)}
            onClose={() => {
              setLooksBack(false)
              scroller.current?.focus()
            }}
          />
        )}
      </section>
      {view.rail && props.hasRoomForRail && props.rail?.({ fill, send })}
    </>
  )
}

/** What was being typed when the right to send it was taken away. */
function UnsentCommand({ command, onClose }: { command: string; onClose: () => void }) {
  const t = useT()
  return (
    <Alert
      type="warning"
      action={
        <>
          <CopyButton value={command} label={t('console.CopyCommand')} />
          <Button size="xs" variant="subtle" color="gray" onClick={onClose}>
            {t('common.Close')}
          </Button>
        </>
      }
    >
      {t('console.NotSent', { command })}
    </Alert>
  )
}

function fontSizeOf(view: ConsoleView, isPhone: boolean): number {
  return view.fontSize ?? (isPhone ? 12 : 13)
}

type TimeOf = ((time: number) => string) | undefined

/** What is selected. Of several lines that are selected each has its time. */
function selectedText(selected: Selection, scroller: HTMLElement | null, lines: Lines, timeOf: TimeOf): string {
  const text = selected.toString()
  const parts = text.split('\n')
  const rows = [...(scroller?.querySelectorAll<HTMLElement>('[data-line]') ?? [])].filter((row) =>
    selected.containsNode(row, true),
  )
  if (!timeOf || parts.length < 2 || rows.length !== parts.length) return text
  const timed = parts.map((part, index) => {
    const at = lines.at(Number(rows[index]?.dataset.line))?.time
    return at === undefined ? part : `[${timeOf(at * 1000)}] ${part}`
  })
  return timed.join('\n')
}

/** The text of the lines in sight. */
function visibleText(scroller: HTMLElement | null, lines: Lines, timeOf: TimeOf): string {
  if (!scroller) return ''
  const { top, bottom } = scroller.getBoundingClientRect()
  const numbers = [...scroller.querySelectorAll<HTMLElement>('[data-line]')]
    .filter((row) => row.getBoundingClientRect().bottom > top && row.getBoundingClientRect().top < bottom)
    .map((row) => Number(row.dataset.line))
  return plainTextOf(lines, { from: numbers[0] ?? 0, end: (numbers.at(-1) ?? -1) + 1, timeOf })
}

/** Esc ends full screen, unless something on top takes it first. */
function useEscape(isOn: boolean, leave: () => void): void {
  const leaveNow = useEffectEvent(leave)
  useEffect(() => {
    if (!isOn) return
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) leaveNow()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [isOn])
}

/** Goes with the first line, not with the next drawing of the whole panel. */
function NothingYet({ lines }: { lines: Lines }) {
  const t = useT()
  useFrames(lines)
  return lines.end === lines.first ? <p className={classes.empty}>{t('console.Empty')}</p> : null
}
