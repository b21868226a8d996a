interface SparklineProps {
  readonly values: readonly number[]
  /** The value at the upper edge; larger ones raise it. */
  readonly max: number
  readonly color: string
  readonly width?: number
  readonly height?: number
}

/** A small line of recent values. Decoration: the latest value stands beside it as text. */
export function Sparkline({ values, max, color, width = 72, height = 24 }: SparklineProps) {
  if (values.length < 2) return <svg width={width} height={height} aria-hidden="true" />
  const top = Math.max(max, ...values) || 1
  const step = width / (values.length - 1)
  const points = values
    .map((value, index) => `${(index * step).toFixed(1)},${(height - 1 - (value / top) * (height - 3)).toFixed(1)}`)
    .join(' ')
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <polygon points={`0,${height} ${points} ${width},${height}`} fill={color} opacity="0.13" />
      <polyline points={points} fill="none" stroke={color} strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  )
}
