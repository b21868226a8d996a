import { AreaLine } from '../layout/area-line.tsx'

interface SparklineProps {
  readonly values: readonly number[]
  /** The value at the upper edge; larger values raise it. */
  readonly max: number
  readonly width?: number
  readonly height?: number
}

/** A small line of recent values. Decorative: the latest value is shown as text beside it. */
export function Sparkline({ values, max, width = 72, height = 24 }: SparklineProps) {
  const top = Math.max(max, ...values) || 1
  const points = values.map((value, index) => ({
    x: (index * width) / (values.length - 1),
    y: height - 1 - (value / top) * (height - 3),
  }))
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} color="var(--ik-chart-1)" aria-hidden="true">
      {points.length > 1 && <AreaLine points={points} bottom={height} strokeWidth={1.5} />}
    </svg>
  )
}
