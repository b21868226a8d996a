/** What is chosen, by path, and where a range begins. */
export interface Selection {
  readonly paths: ReadonlySet<string>
  readonly anchor: string | undefined
}

export const nothingChosen: Selection = { paths: new Set(), anchor: undefined }

/** One more or one less; a range begins here. */
export function toggled({ paths }: Selection, path: string): Selection {
  const next = new Set(paths)
  if (!next.delete(path)) next.add(path)
  return { paths: next, anchor: path }
}

/** Everything from where the range began to here becomes like the thing it began with. */
export function toggledTo(selection: Selection, order: readonly string[], path: string): Selection {
  const { paths, anchor } = selection
  if (anchor === undefined || !order.includes(anchor)) return toggled(selection, path)
  const next = new Set(paths)
  for (const one of between(order, anchor, path)) {
    if (paths.has(anchor)) next.add(one)
    else next.delete(one)
  }
  return { paths: next, anchor }
}

/** With Shift and an arrow key: from where the range began, or from where the focus was, to here is what is chosen. */
export function reached({ paths, anchor }: Selection, order: readonly string[], from: string, to: string): Selection {
  const begin = anchor !== undefined && paths.has(anchor) && order.includes(anchor) ? anchor : from
  return { paths: new Set(between(order, begin, to)), anchor: begin }
}

function between(order: readonly string[], one: string, other: string): readonly string[] {
  const [from, to] = [order.indexOf(one), order.indexOf(other)]
  return order.slice(Math.min(from, to), Math.max(from, to) + 1)
}
