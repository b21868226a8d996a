import { Button, Group, Text } from '@mantine/core'
import { IconArrowDown, IconArrowLeft, IconArrowRight, IconArrowUp, IconClipboard } from '@tabler/icons-react'
import type { ITheme } from '@xterm/xterm'
import { type ReactNode, type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import type { RawOutput } from '../../realtime/raw-output.ts'
import type { ServerConnection } from '../../realtime/server-connection.ts'
import { ShortcutHint } from '../../ui/keyboard/shortcut-hint.tsx'
import { useDelayed } from '../../ui/loading/use-delayed.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import classes from './terminal.module.css'
import { type SpecialKey, TerminalSession, type TerminalSizes } from './terminal-session.ts'

export interface TerminalHandle {
  focus(): void
  /** The selected text, or else the screen. */
  getText(): string
  paste(text: string): void
}

export interface TerminalViewProps {
  readonly connection: ServerConnection
  readonly output: RawOutput
  readonly isConnected: boolean
  /** Why nothing can be typed now. */
  readonly disabledReason: string | undefined
  readonly theme: ITheme
  /** In pixels. */
  readonly fontSize: number
  readonly screenReader: boolean
  readonly isPhone: boolean
  readonly handleRef: Ref<TerminalHandle>
  readonly onLeave: () => void
  readonly onCopy: (text: string) => void
}

/** How long another viewer's size is not mentioned: the response to one's own takes that long at most. */
const responseMs = 1_500

/** The terminal of a server: for programs that draw whole screens. */
export function TerminalView(props: TerminalViewProps) {
  const { connection, output, isConnected, disabledReason, theme, fontSize, screenReader, isPhone, handleRef } = props
  const t = useT()
  const hostRef = useRef<HTMLDivElement>(null)
  const [session, setSession] = useState<TerminalSession>()
  const [sizes, setSizes] = useState<TerminalSizes>()
  const onLeave = useEffectEvent(props.onLeave)
  const onCopy = useEffectEvent(props.onCopy)
  const onPasteTooLong = useEffectEvent(() => toast.warning(t('console.PasteTooLong')))
  const getLabel = useEffectEvent(() => t('console.Terminal'))
  const isWritable = disabledReason === undefined

  useEffect(() => {
    if (!hostRef.current) return
    const opened = new TerminalSession({
      host: hostRef.current,
      label: getLabel(),
      output,
      connection,
      onSizes: setSizes,
      onLeave: () => onLeave(),
      onCopy: (text) => onCopy(text),
      onPasteTooLong: () => onPasteTooLong(),
    })
    setSession(opened)
    return () => opened.close()
  }, [connection, output])
  useEffect(() => {
    session?.configure({ fontSize, theme, screenReader, isWritable })
  }, [session, fontSize, theme, screenReader, isWritable])
  useEffect(() => {
    if (!isConnected) session?.showOutput()
  }, [session, isConnected])
  useImperativeHandle(handleRef, () => ({
    focus: () => session?.focus(),
    getText: () => session?.getText() ?? '',
    paste: (text) => session?.paste(text),
  }))

  return (
    <>
      {/* Terminals are never mirrored. */}
      <div className={classes.frame} dir="ltr">
        <div ref={hostRef} className={classes.host} />
      </div>
      <Group className={classes.footer} gap="sm" mih="2rem" py="2xs" ps="sm" pe="xs">
        <Text flex={1} c="var(--ik-subtle)" fz="xs" role="status">
          {disabledReason ?? (isPhone ? '' : <ShortcutHint text="console.LeaveTerminal" keys="Ctrl+M" />)}
        </Text>
        {sizes && <SizeNote sizes={sizes} canSet={isWritable} onSet={() => session?.setSize()} />}
      </Group>
      {isPhone && isWritable && session && (
        <KeyBar onKey={(key) => session.press(key)} onPaste={(text) => session.paste(text)} />
      )}
    </>
  )
}

interface SizeNoteProps {
  readonly sizes: TerminalSizes
  readonly canSet: boolean
  readonly onSet: () => void
}

/** The size of the terminal. When another viewer set it, one can set it again. */
function SizeNote({ sizes: { server, fitting }, canSet, onSet }: SizeNoteProps) {
  const t = useT()
  const isSizedByOther = useDelayed(
    canSet && (server.cols !== fitting.cols || server.rows !== fitting.rows),
    responseMs,
  )
  const size = { cols: server.cols, rows: server.rows }
  return (
    <>
      <Text c="var(--ik-subtle)" fz="xs">
        {t(isSizedByOther ? 'console.SizeOfOther' : 'console.Size', size)}
      </Text>
      {isSizedByOther && (
        <Button size="compact-xs" variant="default" onClick={onSet}>
          {t('console.FitSize')}
        </Button>
      )}
    </>
  )
}

/** Keys that the keyboard of a phone does not have. */
function KeyBar({ onKey, onPaste }: { onKey: (key: SpecialKey) => void; onPaste: (text: string) => void }) {
  const t = useT()
  const keys: readonly { key: SpecialKey; label?: string; face: ReactNode }[] = [
    { key: 'escape', face: t('keys.Esc') },
    { key: 'tab', label: t('console.KeyTab'), face: 'Tab' },
    { key: 'interrupt', label: t('console.KeyInterrupt'), face: '^C' },
    { key: 'left', label: t('console.KeyLeft'), face: <IconArrowLeft size={18} aria-hidden /> },
    { key: 'up', label: t('console.KeyUp'), face: <IconArrowUp size={18} aria-hidden /> },
    { key: 'down', label: t('console.KeyDown'), face: <IconArrowDown size={18} aria-hidden /> },
    { key: 'right', label: t('console.KeyRight'), face: <IconArrowRight size={18} aria-hidden /> },
  ]
  // Browsers offer the clipboard to pages with a secure connection only.
  const clipboard = navigator.clipboard as Clipboard | undefined
  return (
    <Group className={classes.keys} role="group" aria-label={t('console.Keys')} dir="ltr">
      {keys.map(({ key, label, face }) => (
        <Button key={key} variant="default" size="xs" aria-label={label} onClick={() => onKey(key)}>
          {face}
        </Button>
      ))}
      {clipboard && (
        <Button
          variant="default"
          size="xs"
          aria-label={t('console.Paste')}
          // Rejected when the user does not allow it.
          onClick={() => void clipboard.readText().then(onPaste, () => undefined)}
        >
          <IconClipboard size={18} aria-hidden />
        </Button>
      )}
    </Group>
  )
}
