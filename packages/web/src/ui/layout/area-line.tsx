/** A point in the coordinates of the `<svg>` that a line is drawn in. */
export interface Point {
  readonly x: number
  readonly y: number
}

interface AreaLineProps {
  readonly points: readonly Point[]
  /** The lower edge of the area. */
  readonly bottom: number
  readonly strokeWidth?: number
}

/** A line with the area below it filled, in the current text color. A single point is a dot. */
export function AreaLine({ points, bottom, strokeWidth = 2 }: AreaLineProps) {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return null
  if (points.length === 1) return <circle cx={first.x} cy={first.y} r="2.5" fill="currentColor" />
  return (
    <>
      <polygon
        points={`${first.x},${bottom} ${toPolyline(points)} ${last.x},${bottom}`}
        fill="currentColor"
        opacity="0.13"
      />
      <Line points={points} strokeWidth={strokeWidth} />
    </>
  )
}

interface LineProps {
  readonly points: readonly Point[]
  readonly strokeWidth: number
  readonly opacity?: number
  readonly strokeDasharray?: string
}

/** A line in the current text color. */
export function Line({ points, ...stroke }: LineProps) {
  return (
    <polyline
      points={toPolyline(points)}
      fill="none"
      stroke="currentColor"
      strokeLinejoin="round"
      vectorEffect="non-scaling-stroke"
      {...stroke}
    />
  )
}

function toPolyline(points: readonly Point[]): string {
  return points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')
}
