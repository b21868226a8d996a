import { useElementSize } from '@mantine/hooks'
import type { KeyboardEvent, PointerEvent } from 'react'
import type { ChartLine, Mark, Place, Scale } from './scale.ts'
import classes from './stats.module.css'
import type { TrafficFigure } from './traffic.ts'

interface ChartProps {
  readonly name: string
  /** Said to those who cannot see the line. */
  readonly summary: string
  readonly color: 'cpu' | 'memory' | TrafficFigure
  readonly line: ChartLine
  readonly scale: Scale
  /** What stands below the line, from its beginning (0) to its end (1). */
  readonly marks: readonly Mark[]
  /** How the time of a point is read. */
  readonly timeOf: (at: number) => string
  /** A value on the axis, and one that is read. */
  readonly tick: (value: number) => string
  readonly format: (value: number) => string
  /** The point that is read, from the newest (0) back; shared by the charts. */
  readonly reading: number | undefined
  readonly onReading: (back: number | undefined) => void
  readonly height: number
}

const edge = { start: 58, end: 8, top: 10, bottom: 24 }

/** A line over time. Time runs left to right in every language; arrow keys read the points. */
export function Chart(props: ChartProps) {
  const { name, summary, color, line, scale, marks, timeOf, tick, format, reading, onReading, height } = props
  const { readings } = line
  const { ref, width: measured } = useElementSize<HTMLDivElement>()
  const width = measured || 600
  const inner = { width: width - edge.start - edge.end, height: height - edge.top - edge.bottom }
  const at = ({ x, y }: Place) => ({ x: edge.start + x * inner.width, y: edge.top + (1 - y) * inner.height })
  const index = reading === undefined ? undefined : Math.max(0, readings.length - 1 - reading)
  const candidate = index === undefined ? undefined : readings[index]
  const read = candidate?.isHidden ? undefined : candidate
  const point = read && at(read.place)

  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: 1, ArrowRight: -1 }[event.key]
    if (step !== undefined) onReading(Math.max(0, Math.min((reading ?? -step) + step, readings.length - 1)))
    else if (event.key === 'Home') onReading(readings.length - 1)
    else if (event.key === 'End') onReading(0)
    else if (event.key === 'Escape') onReading(undefined)
    else return
    event.preventDefault()
  }
  const pointAt = (event: PointerEvent<HTMLDivElement>) => {
    const x = (event.clientX - event.currentTarget.getBoundingClientRect().left - edge.start) / inner.width
    const distances = readings.map(({ place }) => Math.abs(place.x - x))
    if (distances.length > 0) onReading(readings.length - 1 - distances.indexOf(Math.min(...distances)))
  }

  return (
    <div
      ref={ref}
      className={`${classes.chart} ${classes[color === 'cpu' || color === 'memory' ? color : 'plain']}`}
      dir="ltr"
      role="img"
      aria-label={`${name}. ${summary}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the points
      tabIndex={0}
      onKeyDown={move}
      onPointerMove={pointAt}
      onPointerDown={pointAt}
      onPointerLeave={() => onReading(undefined)}
      onBlur={() => onReading(undefined)}
    >
      <svg width="100%" height={height} aria-hidden="true">
        {scale.ticks.map((value) => {
          const { y } = at({ x: 0, y: value / scale.upper })
          return (
            <g key={value}>
              <line className={classes.grid} x1={edge.start} x2={width - edge.end} y1={y} y2={y} />
              <text className={classes.axis} x={edge.start - 10} y={y + 4} textAnchor="end">
                {tick(value)}
              </text>
            </g>
          )
        })}
        {marks
          .filter(({ share }) => width > 480 || share * 2 === Math.round(share * 2))
          .map(({ share, label }) => (
            <text
              key={share}
              className={classes.axis}
              x={edge.start + share * inner.width}
              y={height - 4}
              textAnchor={share === 0 ? 'start' : share === 1 ? 'end' : 'middle'}
            >
              {label}
            </text>
          ))}
        {line.peaks?.map((run) => (
          <polyline key={run[0]?.x} className={classes.peaks} points={pointsOf(run.map(at))} />
        ))}
        {line.assumed?.map((run) => (
          <polyline key={run[0]?.x} className={`${classes.line} ${classes.assumed}`} points={pointsOf(run.map(at))} />
        ))}
        {line.runs.map((run) => (
          <Run key={run[0]?.x} points={run.map(at)} bottom={edge.top + inner.height} />
        ))}
        {point && (
          <>
            <line className={classes.cursor} x1={point.x} x2={point.x} y1={edge.top} y2={edge.top + inner.height} />
            <circle className={classes.point} cx={point.x} cy={point.y} r="4.5" />
          </>
        )}
      </svg>
      {read && point && (
        <div
          className={classes.reading}
          role="status"
          style={point.x > width / 2 ? { right: width - point.x + 12 } : { left: point.x + 12 }}
        >
          <span>{timeOf(read.at)}</span>
          <b>{format(read.value)}</b>
        </div>
      )}
    </div>
  )
}

function Run({ points, bottom }: { points: readonly Place[]; bottom: number }) {
  const line = pointsOf(points)
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return null
  // A line of one point has no length.
  if (points.length === 1) return <circle className={classes.dot} cx={first.x} cy={first.y} r="2.5" />
  return (
    <>
      <polygon className={classes.area} points={`${first.x},${bottom} ${line} ${last.x},${bottom}`} />
      <polyline className={classes.line} points={line} />
    </>
  )
}

function pointsOf(places: readonly Place[]): string {
  return places.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')
}
