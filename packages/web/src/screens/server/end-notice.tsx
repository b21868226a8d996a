import { hasCrashed, type LastExit, type ServerStatus } from '@innkeeper/contract/status'
import { Button } from '@mantine/core'
import { useCallback, useState, useSyncExternalStore } from 'react'
import { textOf } from '../../features/console/ansi.ts'
import type { ConsoleBuffer, Lines } from '../../features/console/buffer.ts'
import type { Power } from '../../features/power/use-power.tsx'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { useNow } from '../../ui/use-now.ts'
import classes from './server.module.css'

/** How many lines before its end are shown of a server. */
const linesShown = 5
/** Looking for them never goes further back. */
const linesSearched = 200
/** After this long somebody may want to be told that a stop never kills. */
const longStopMs = 30_000

interface EndNoticeProps {
  readonly status: ServerStatus
  readonly buffer: ConsoleBuffer
}

/** Why a server is down that nobody stopped, with the last that it said. */
export function EndNotice({ status: { state, lastExit }, buffer }: EndNoticeProps) {
  const t = useT()
  const { relative } = useFormatters()
  const at = Date.parse(lastExit?.at ?? '')
  const now = useNow(at)
  const isDown = state === 'offline' || state === 'waiting'
  const reason = lastExit && isDown ? reasonKeys[lastExit.reason] : undefined
  if (!lastExit || !reason) return null
  const { gaveUpAfter } = lastExit

  return (
    <Alert type={hasCrashed({ state, lastExit }) ? 'error' : 'warning'} urgent>
      <p>
        {t(reason, { time: relative(at, now), how: howOf(t, lastExit) })}{' '}
        {state === 'waiting' && t('server.EndWaiting')}
        {gaveUpAfter !== undefined && t('server.EndGaveUp', { count: gaveUpAfter })}
      </p>
      <LastLines buffer={buffer} />
    </Alert>
  )
}

function LastLines({ buffer }: { buffer: ConsoleBuffer }) {
  const t = useT()
  const subscribe = useCallback((listener: () => void) => buffer.subscribe(listener), [buffer])
  const last = useSyncExternalStore(subscribe, () => lastLines(buffer).join('\n'))
  if (last === '') return null
  return (
    <section aria-label={t('server.EndLastLines')}>
      <pre className={classes.lastLines}>{last}</pre>
    </section>
  )
}

const reasonKeys: Readonly<Partial<Record<LastExit['reason'], string>>> = {
  crashed: 'server.EndCrashed',
  outOfMemory: 'server.EndOutOfMemory',
  unknown: 'server.EndUnknown',
}

function howOf(text: ReturnType<typeof useT>, { code, signal }: LastExit): string {
  return signal === null ? text('server.EndByCode', { code: code ?? '' }) : text('server.EndBySignal', { signal })
}

/** What the server itself said last. */
function lastLines(lines: Lines): string[] {
  const found: string[] = []
  const least = Math.max(lines.first, lines.end - linesSearched)
  for (let at = lines.end - 1; at >= least && found.length < linesShown; at--) {
    const line = lines.at(at)
    const words = line?.kind === 'output' ? textOf(line.text).trimEnd() : ''
    if (words) found.unshift(words)
  }
  return found
}

/** Says that a stop that takes long never becomes a kill by itself, and offers one. */
export function LongStopNotice({ since, power }: { since: string; power: Power }) {
  const t = useT()
  const [left] = useState(() => Math.max(0, Date.parse(since) + longStopMs - Date.now()))
  const isLate = useDelayed(true, left)
  const kill = power.controls.find(({ action }) => action === 'kill')
  if (!isLate || !kill) return null
  return (
    <Alert
      type="warning"
      action={
        <Button size="xs" variant="default" onClick={kill.run}>
          {kill.label}
        </Button>
      }
    >
      {t('server.StopsForLong')}
    </Alert>
  )
}
