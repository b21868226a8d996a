import { Box, type StyleProp, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import type { KeyboardEvent, PointerEvent } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { AreaLine, Line, type Point } from '../../ui/layout/area-line.tsx'
import { type AxisTick, type ChartLine, type ChartType, chartColor, type Scale } from './chart-data.ts'
import classes from './stats.module.css'

/** What a chart shows. */
export interface ChartData {
  readonly type: ChartType
  readonly line: ChartLine
  readonly scale: Scale
  readonly ticks: readonly AxisTick[]
  readonly formatTime: (timestamp: number) => string
  /** Shown above the vertical axis, unless its labels have the unit. */
  readonly axisUnit: string | undefined
  /** Formats a value of the vertical axis. */
  readonly formatTick: (value: number) => string
  /** Formats the value of a point. */
  readonly format: (value: number) => string
}

interface ChartProps extends ChartData {
  readonly name: string
  /** The text alternative of the image. */
  readonly summary: string
  /** The highlighted point, counted back from the newest (0). Charts of the same time range share it. */
  readonly activeIndex: number | undefined
  readonly onActiveIndexChange: (index: number | undefined) => void
  readonly height: StyleProp<number>
}

const padding = { left: 58, right: 8, top: 20, bottom: 24 }

/** A line over time, from left to right in every language. */
export function Chart(props: ChartProps) {
  const { type, summary, line, scale, ticks, formatTime, axisUnit, formatTick, format, activeIndex } = props
  const { ref, ...measured } = useElementSize<HTMLDivElement>()
  const width = measured.width || 600
  const height = measured.height || 208
  const plot = { width: width - padding.left - padding.right, height: height - padding.top - padding.bottom }
  const bottom = padding.top + plot.height
  const toPixels = ({ x, y }: Point): Point => ({ x: padding.left + x * plot.width, y: bottom - y * plot.height })
  const active = activeIndex === undefined ? undefined : line.points[Math.max(0, line.points.length - 1 - activeIndex)]
  const position = active && !active.isHidden ? toPixels(active) : undefined

  return (
    <Box ref={ref} className={classes.chart} h={props.height} dir="ltr">
      <svg width="100%" height={height} color={chartColor(type)} role="img" aria-label={summary}>
        {axisUnit !== undefined && (
          <text className={classes.axis} x={padding.left - 10} y={9} textAnchor="end">
            {axisUnit}
          </text>
        )}
        {scale.ticks.map((value) => {
          const { y } = toPixels({ x: 0, y: value / scale.upper })
          return (
            <g key={value}>
              <line stroke="var(--ik-grid)" x1={padding.left} x2={width - padding.right} y1={y} y2={y} />
              <text className={classes.axis} x={padding.left - 10} y={y + 4} textAnchor="end">
                {formatTick(value)}
              </text>
            </g>
          )
        })}
        {ticks
          .filter(({ position: x }) => width > 480 || Number.isInteger(x * 2))
          .map(({ position: x, label }) => (
            <text
              key={x}
              className={classes.axis}
              x={toPixels({ x, y: 0 }).x}
              y={height - 4}
              textAnchor={x === 0 ? 'start' : x === 1 ? 'end' : 'middle'}
            >
              {label}
            </text>
          ))}
        {line.peaks?.map((segment) => (
          <Line key={segment[0]?.x} points={segment.map(toPixels)} strokeWidth={1.25} opacity={0.8} />
        ))}
        {line.assumed?.map((segment) => (
          <Line
            key={segment[0]?.x}
            points={segment.map(toPixels)}
            strokeWidth={2}
            opacity={0.5}
            strokeDasharray="3 4"
          />
        ))}
        {line.segments.map((segment) => (
          <AreaLine key={segment[0]?.x} points={segment.map(toPixels)} bottom={bottom} />
        ))}
        {position && (
          <>
            <line
              stroke="var(--ik-border-strong)"
              strokeDasharray="3 3"
              x1={position.x}
              x2={position.x}
              y1={padding.top}
              y2={bottom}
            />
            <circle
              cx={position.x}
              cy={position.y}
              r="4.5"
              fill="var(--ik-surface)"
              stroke="currentColor"
              strokeWidth="2"
            />
          </>
        )}
      </svg>
      {active && position && (
        <div
          className={classes.tooltip}
          style={position.x > width / 2 ? { right: width - position.x + 12 } : { left: position.x + 12 }}
          aria-hidden="true"
        >
          <Text fz="2xs" lh="1rem" c="var(--ik-subtle)">
            {formatTime(active.timestamp)}
          </Text>
          <Text fz="compact" fw={600}>
            {format(active.value)}
          </Text>
        </div>
      )}
      <PointSlider {...props} plotWidth={plot.width} />
    </Box>
  )
}

/** Highlights the point under the pointer. For the keyboard and screen readers it is a slider over the points. */
function PointSlider(props: ChartProps & { readonly plotWidth: number }) {
  const { name, line, formatTime, format, activeIndex, onActiveIndexChange, plotWidth } = props
  const t = useT()
  const { points } = line
  const last = points.length - 1
  const index = Math.max(0, last - (activeIndex ?? 0))
  const point = points[index]
  if (!point) return null

  const moveTo = (next: number) => onActiveIndexChange(last - Math.max(0, Math.min(next, last)))
  const handleKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key]
    // The first key highlights the newest point.
    if (step !== undefined) moveTo(activeIndex === undefined ? last : index + step)
    else if (event.key === 'Home') moveTo(0)
    else if (event.key === 'End') moveTo(last)
    else if (event.key === 'Escape') onActiveIndexChange(undefined)
    else return
    event.preventDefault()
  }
  const handlePointer = (event: PointerEvent<HTMLDivElement>) => {
    const x = (event.clientX - event.currentTarget.getBoundingClientRect().left - padding.left) / plotWidth
    const distances = points.map((candidate) => Math.abs(candidate.x - x))
    moveTo(distances.indexOf(Math.min(...distances)))
  }
  const time = formatTime(point.timestamp)
  return (
    <div
      className={classes.slider}
      role="slider"
      tabIndex={0}
      aria-label={t('stats.Points', { name })}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={index}
      aria-valuetext={
        point.isHidden ? t('stats.PointMissing', { time }) : t('stats.PointValue', { value: format(point.value), time })
      }
      onKeyDown={handleKeyDown}
      onPointerMove={handlePointer}
      onPointerDown={handlePointer}
      onPointerLeave={() => onActiveIndexChange(undefined)}
      onBlur={() => onActiveIndexChange(undefined)}
    />
  )
}
