import { hasCrashed, type LastExit, type ServerStatus } from '@innkeeper/contract/servers/status'
import { ActionIcon, Box, Button, Group, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { type ReactNode, useCallback, useState, useSyncExternalStore } from 'react'
import { tabStorage } from '../../api/storage.ts'
import { stripAnsi } from '../../features/console/ansi.ts'
import type { ConsoleBuffer, Lines } from '../../features/console/buffer.ts'
import type { Power } from '../../features/power/use-power.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { useNow } from '../../ui/hooks/use-now.ts'
import { useIsPhone } from '../../ui/layout/page.tsx'
import { useDelayed } from '../../ui/loading/use-delayed.ts'

/** How many of the last console lines are shown. */
const maxLines = 5
/** How many lines are searched for them. */
const maxSearchedLines = 200
/** How long a stop takes before Kill is offered. */
const slowStopMs = 30_000

interface InstallAlertProps {
  readonly status: ServerStatus
  readonly buffer: ConsoleBuffer
}

interface ExitAlertProps extends InstallAlertProps {
  /** The server's id. */
  readonly server: string
  readonly onOpenConsole: (() => void) | undefined
}

/** Why the server is down although no user stopped it, with its last console lines, until it is closed in this tab. */
export function ExitAlert({ server, status: { state, lastExit }, buffer, onOpenConsole }: ExitAlertProps) {
  const t = useT()
  const [closedAt, setClosedAt] = useClosedExit(server)
  const { relative } = useFormatters()
  const time = Date.parse(lastExit?.at ?? '')
  const now = useNow(time)
  const isDown = state === 'offline' || state === 'waiting'
  const message = lastExit && isDown ? getMessageKey(lastExit) : undefined
  if (!lastExit || !message || lastExit.at === closedAt) return null
  const { code, signal, gaveUpAfter } = lastExit

  return (
    <Alert
      type={hasCrashed({ state, lastExit }) ? 'error' : 'warning'}
      role="alert"
      action={
        <Group gap="2xs" wrap="nowrap">
          {onOpenConsole && (
            <Button size="xs" variant="default" onClick={onOpenConsole}>
              {t('servers.OpenConsole')}
            </Button>
          )}
          <ActionIcon aria-label={t('common.Close')} onClick={() => setClosedAt(lastExit.at)}>
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Group>
      }
    >
      <WithLastLines buffer={buffer}>
        <p>{t(message, { time: relative(time, now), code: String(code ?? ''), signal: signal ?? '' })}</p>
        {state === 'waiting' && <p>{t('server.ExitRestarting')}</p>}
        {gaveUpAfter !== undefined && <p>{t('server.ExitGaveUp', { count: gaveUpAfter })}</p>}
      </WithLastLines>
    </Alert>
  )
}

/** The time of the exit whose alert was closed in this browser tab. */
function useClosedExit(server: string): readonly [string | null, (at: string) => void] {
  const key = `closed-exit-${server}`
  const [closedAt, setClosedAt] = useState(() => tabStorage.get(key))
  return [
    closedAt,
    (at) => {
      tabStorage.set(key, at)
      setClosedAt(at)
    },
  ]
}

/** That the last install failed, with the last console lines, until the server has run. */
export function InstallAlert({ status, buffer }: InstallAlertProps) {
  const t = useT()
  if (status.lastInstall?.outcome !== 'failed' || status.state !== 'offline' || status.lastExit) return null
  return (
    <Alert type="error">
      <WithLastLines buffer={buffer} withDaemon>
        {t('server.InstallFailed')}
      </WithLastLines>
    </Alert>
  )
}

function getMessageKey({ reason, signal }: LastExit): TranslationKey | undefined {
  if (reason === 'crashed') return signal === null ? 'server.ExitCrashedCode' : 'server.ExitCrashedSignal'
  if (reason === 'outOfMemory') return 'server.ExitOutOfMemory'
  return reason === 'unknown' ? 'server.ExitUnknown' : undefined
}

/** A message and the last console lines below it. On a phone they are hidden at first: the console needs the room. */
function WithLastLines({
  buffer,
  withDaemon = false,
  children,
}: {
  buffer: ConsoleBuffer
  /** Includes the lines of the daemon. */
  withDaemon?: boolean
  children: ReactNode
}) {
  const t = useT()
  const isPhone = useIsPhone()
  const subscribe = useCallback((listener: () => void) => buffer.subscribe(listener), [buffer])
  const lines = useSyncExternalStore(subscribe, () => getLastLines(buffer, withDaemon).join('\n'))
  if (lines === '') return <p>{children}</p>
  const section = (
    <section aria-label={t('server.ExitLastLines')}>
      <Text
        component="pre"
        mt="xs"
        mb={0}
        variant="caption"
        ff="monospace"
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {lines}
      </Text>
    </section>
  )
  return isPhone ? (
    <details>
      <summary>
        {/* Beside the marker, also when it has several lines. */}
        <Box component="span" display="inline-block" w="calc(100% - 1.5em)" style={{ verticalAlign: 'top' }}>
          {children}
        </Box>
      </summary>
      {section}
    </details>
  ) : (
    <>
      <p>{children}</p>
      {section}
    </>
  )
}

/** The last lines that the server printed itself, and those of the daemon if wanted. */
function getLastLines(lines: Lines, withDaemon: boolean): string[] {
  const found: string[] = []
  const first = Math.max(lines.first, lines.end - maxSearchedLines)
  for (let index = lines.end - 1; index >= first && found.length < maxLines; index--) {
    const line = lines.at(index)
    const isShown = line?.type === 'output' || (withDaemon && line?.type === 'daemon')
    const text = isShown ? stripAnsi(line.text).trimEnd() : ''
    if (text) found.unshift(text)
  }
  return found
}

/** Offers Kill when a stop takes long, at the latest when its time is over. A stop never becomes a kill by itself. */
export function SlowStopAlert({ status, power }: { status: ServerStatus; power: Power }) {
  const t = useT()
  const [remainingMs] = useState(() => Math.max(0, Date.parse(status.since) + slowStopMs - Date.now()))
  const isSlow = useDelayed(true, remainingMs) || status.isStopOverdue
  const kill = power.controls.find(({ action }) => action === 'kill')
  if (!isSlow || !kill) return null
  return (
    <Alert
      type="warning"
      role="status"
      action={
        <Button
          size="xs"
          variant="default"
          aria-label={t('common.ActionFor', { action: kill.label, name: t('status.stopping') })}
          onClick={kill.run}
        >
          {kill.label}
        </Button>
      }
    >
      {t('server.SlowStop')}
    </Alert>
  )
}
