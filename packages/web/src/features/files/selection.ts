/** Selected paths, and where a range starts. */
export interface Selection {
  readonly paths: ReadonlySet<string>
  readonly anchor: string | undefined
}

export const emptySelection: Selection = { paths: new Set(), anchor: undefined }

/** Toggles one item, which becomes the anchor. */
export function toggleItem({ paths }: Selection, path: string): Selection {
  const next = new Set(paths)
  if (!next.delete(path)) next.add(path)
  return { paths: next, anchor: path }
}

/** Shift and click: everything from the anchor to `path` becomes selected or not, like the anchor. */
export function toggleRange(selection: Selection, order: readonly string[], path: string): Selection {
  const { paths, anchor } = selection
  if (anchor === undefined || !order.includes(anchor)) return toggleItem(selection, path)
  const range = new Set(getRange(order, anchor, path))
  const next = paths.has(anchor) ? [...paths, ...range] : [...paths].filter((one) => !range.has(one))
  return { paths: new Set(next), anchor }
}

/** Shift and an arrow key: selects from the anchor, or from the focused item `from`, to `to`. */
export function selectRange(
  { paths, anchor }: Selection,
  order: readonly string[],
  from: string,
  to: string,
): Selection {
  const start = anchor !== undefined && paths.has(anchor) && order.includes(anchor) ? anchor : from
  return { paths: new Set(getRange(order, start, to)), anchor: start }
}

function getRange(order: readonly string[], one: string, other: string): readonly string[] {
  const [from, to] = [order.indexOf(one), order.indexOf(other)]
  return order.slice(Math.min(from, to), Math.max(from, to) + 1)
}
