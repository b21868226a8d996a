import { Button, SegmentedControl } from '@mantine/core'
import { IconChartLine, IconListNumbers } from '@tabler/icons-react'
import { useState } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import type { StatsHistory } from '../../realtime/stats-history.ts'
import { usePreference } from '../../session/preferences.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { PastCharts } from './past-charts.tsx'
import { liveLine, liveMarks, type MemoryUnit, memoryUnits, type Summary, scaleFor, summaryOf } from './scale.ts'
import classes from './stats.module.css'
import { type StatsChart, StatsCharts } from './stats-charts.tsx'
import { leastTraffic, trafficFigures, trafficOf, trafficTexts, unmeasuredIn } from './traffic.ts'
import { useMemoryUnit, useUsage } from './usage.ts'

interface StatsPanelProps {
  readonly server: string
  readonly history: StatsHistory
  readonly isLive: boolean
  readonly isOffline: boolean
}

/** What a person can look at: the last minutes as they come, or a range of the past. */
const spans = ['live', 'hour', 'day', 'month', 'year'] as const
type Span = (typeof spans)[number]

/** What a server uses, live or of the past, as charts or as a table. */
export function StatsPanel({ server, history, isLive, isOffline }: StatsPanelProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const [unit, setUnit] = useMemoryUnit()
  const [span, setSpan] = useSpan()
  const [asTable, setAsTable] = useState(false)
  const height = isPhone ? 158 : 208

  const toggle = (
    <Button
      variant={isPhone ? 'default' : 'subtle'}
      color="gray"
      size={isPhone ? 'md' : 'xs'}
      fullWidth={isPhone}
      leftSection={asTable ? <IconChartLine size={17} aria-hidden /> : <IconListNumbers size={17} aria-hidden />}
      onClick={() => setAsTable(!asTable)}
    >
      {t(asTable ? 'server.StatsShowCharts' : 'server.StatsShowTable')}
    </Button>
  )
  return (
    <div className={classes.panel}>
      <div className={classes.bar}>
        <SegmentedControl
          size="sm"
          fullWidth={isPhone}
          aria-label={t('server.StatsSpanLabel')}
          value={span}
          data={spans.map((value) => ({ value, label: t(`server.StatsSpan_${value}`) }))}
          onChange={(chosen) => setSpan(chosen as Span)}
        />
        {span === 'live' && !isLive && (
          <span className={classes.state}>
            <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true">
              <circle cx="4" cy="4" r="3" fill="currentColor" />
            </svg>
            {t('server.StatsPolling')}
          </span>
        )}
        <span className={classes.span}>
          {t(span === 'live' && isPhone ? 'server.StatsSpanShort' : `server.StatsAbout_${span}`)}
        </span>
        <span className={classes.grow} />
        {!isPhone && toggle}
        <SegmentedControl
          size="xs"
          aria-label={t('server.StatsUnit')}
          value={unit}
          data={[...memoryUnits]}
          onChange={(chosen) => setUnit(chosen as MemoryUnit)}
        />
      </div>
      {span === 'live' ? (
        <>
          {isOffline && (
            <p className={classes.offline} role="status">
              {t('server.StatsOffline')}
            </p>
          )}
          <LiveCharts history={history} height={height} asTable={asTable} />
        </>
      ) : (
        <PastCharts key={span} server={server} range={span} unit={unit} height={height} asTable={asTable} />
      )}
      {isPhone && toggle}
    </div>
  )
}

/** What a person looked at last, on any server. */
function useSpan(): readonly [Span, (span: Span) => void] {
  const [stored, setSpan] = usePreference('statsSpan')
  return [spans.find((span) => span === stored) ?? 'live', setSpan]
}

/** So many looks at a running server without a figure mean that there is none. */
const enoughLooks = 2

/** The figures beside a chart; `null` for what was not measured. */
function figuresOf({ now, average, peak }: Summary, isMeasured: boolean, isKnown: boolean): StatsChart['figures'] {
  return { Now: isMeasured ? now : null, Average: isKnown ? average : null, Peak: isKnown ? peak : null }
}

interface LiveChartsProps {
  readonly history: StatsHistory
  readonly height: number
  readonly asTable: boolean
}

function LiveCharts(props: LiveChartsProps) {
  const t = useT()
  const { time, number } = useFormatters()
  const usage = useUsage(props.history)
  const marks = liveMarks(t('server.StatsAtTheEnd'))
  const main = (['cpu', 'memory'] as const).map((kind): StatsChart => {
    const { values, scale, summary, format, tick } = usage[kind]
    return {
      kind,
      // Where nothing was measured the specification draws a processor at zero; a memory of zero would be untrue.
      line: liveLine(usage.history, values, scale.upper, { withBlanks: kind === 'cpu' }),
      scale,
      marks,
      timeOf: time,
      tick,
      format,
      figures: figuresOf(summary, usage.isMeasured, usage.seen.length > 0),
    }
  })
  const traffic = trafficFigures.flatMap((kind): StatsChart[] => {
    const { points, values, seen } = trafficOf(usage.history, kind, usage.unit)
    if (seen.length === 0) return []
    const scale = scaleFor(values, leastTraffic)
    const line = liveLine(points, values, scale.upper, { withBlanks: false })
    const texts = trafficTexts(usage.unit, scale, { number })
    return [
      { kind, line, scale, marks, timeOf: time, ...texts, figures: figuresOf(summaryOf(seen), usage.isMeasured, true) },
    ]
  })
  const looks = usage.seen.filter(({ memory }) => memory > 0).length
  const unmeasured = unmeasuredIn((figure) => looks <= enoughLooks || traffic.some(({ kind }) => kind === figure))
  return (
    <StatsCharts charts={[...main, ...traffic]} height={props.height} asTable={props.asTable} unmeasured={unmeasured} />
  )
}
