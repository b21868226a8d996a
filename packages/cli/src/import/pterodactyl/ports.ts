import { maxPortNoteLength, maxPortRanges, PortRange } from '@innkeeper/contract/nodes/node-ports'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import type { ImportedPorts } from '@innkeeper/panel/import/import-plan'
import { groupBy, numberIn, textIn } from '../rows.ts'

/**
 * The free allocations of nodes as port ranges for new servers: consecutive ports with the same address, alias and note
 * become one range.
 */
export function getPorts(
  allocations: readonly ForeignRow[],
  remoteNodes: ReadonlySet<string>,
  notes: string[],
): ImportedPorts[] {
  const free = allocations.filter((row) => textIn(row, 'server_id') === undefined)
  return [...groupBy(free, 'node_id')].map(([node, rows]) => {
    const ranges: PortRange[] = []
    for (const range of rows.flatMap((row) => getRange(row, notes)).toSorted(byPlace)) {
      const last = ranges.at(-1)
      const isNext = last && last.address === range.address && last.note === range.note && last.to + 1 === range.from
      if (isNext) ranges[ranges.length - 1] = { ...last, to: range.to }
      else ranges.push(range)
    }
    for (const { address, from, to } of ranges.slice(maxPortRanges))
      notes.push(
        `free allocations ${address}:${from}-${to}: are not carried over, because a node has ${maxPortRanges} ranges`,
      )
    return { node: remoteNodes.has(node) ? node : undefined, ranges: ranges.slice(0, maxPortRanges) }
  })
}

function getRange(row: ForeignRow, notes: string[]): PortRange[] {
  const [address, port] = [textIn(row, 'ip') ?? '', numberIn(row, 'port') ?? 0]
  const note = [textIn(row, 'ip_alias'), textIn(row, 'notes')].filter(Boolean).join(', ')
  const range = { address, from: port, to: port, ...(note === '' ? {} : { note: note.slice(0, maxPortNoteLength) }) }
  if (PortRange.safeParse(range).success) return [range]
  notes.push(`free allocation ${address}:${port}: is not valid here`)
  return []
}

const byPlace = (a: PortRange, b: PortRange): number =>
  a.address.localeCompare(b.address) || (a.note ?? '').localeCompare(b.note ?? '') || a.from - b.from
