import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { AvailabilityState } from '@innkeeper/contract/nodes/node-availability'
import { comparePreference, type NodeRoom } from '@innkeeper/contract/nodes/node-room'
import type { NewPlacement } from '@innkeeper/contract/nodes/placement'
import type { PortRequest } from './ports.ts'

/** A node that may be chosen. */
export interface Candidate {
  readonly id: number
  readonly name: string
  readonly hasLabels: boolean
  readonly state: AvailabilityState | 'offline'
  readonly runsTemplate: boolean
  /** Missing when the node is offline. */
  readonly room: NodeRoom | undefined
  /** Free ports, at most as many as requested. */
  readonly ports: readonly PortRequest[]
}

interface Choice {
  readonly node: Candidate
  readonly room: NodeRoom
  /** In English. */
  readonly reason: string
}

const mebibyte = 1024 ** 2
const gibibyte = 1024 ** 3

/**
 * Chooses the preferred one of the nodes that fit. Throws ErrNoNodeFits with what is missing: the first requirement that none of
 * the nodes meets that meet those before it.
 */
export function chooseNode(request: NewPlacement, candidates: readonly Candidate[]): Choice {
  if (candidates.length === 0) throw new Refusal('ErrNoNodes')
  const { labels, template } = request
  const plural = labels.length > 1 ? 'labels' : 'label'
  const which = labels.length === 0 ? '' : ` with the ${plural} ${labels.join(', ')}`

  const labeled = candidates.filter(({ hasLabels }) => hasLabels)
  if (labeled.length === 0) throw missing('labels', `no node has the ${plural} ${labels.join(', ')}`)

  const active = labeled.flatMap(({ room, ...node }) => (node.state === 'active' && room ? [{ ...node, room }] : []))
  if (active.length === 0) {
    const states = labeled.map(({ name, state }) => `${name} is ${stateNames[state]}`)
    throw missing('node', `no node${which} takes new servers now. ${states.join(', ')}`)
  }

  const able = active.filter(({ runsTemplate }) => runsTemplate)
  if (able.length === 0) throw missing('template', `no node${which} can run the template ${template}`)

  const memory = (request.memory ?? 0) * mebibyte
  const withMemory = able.filter(({ room }) => room.memory.free >= memory)
  if (withMemory.length === 0) {
    const { name, room } = mostOf(able, (one) => one.room.memory.free)
    const text = `no node${which} has ${size(memory)} of free memory. The most is ${size(room.memory.free)} on ${name}`
    throw missing('memory', text)
  }

  const disk = (request.disk ?? 0) * mebibyte
  const withDisk = withMemory.filter(({ room }) => room.disk.free >= disk)
  if (withDisk.length === 0) {
    const { name, room } = mostOf(withMemory, (one) => one.room.disk.free)
    const text = `no node${which} has ${size(disk)} of free disk space and the memory. The most is ${size(room.disk.free)} on ${name}`
    throw missing('disk', text)
  }

  const fitting = withDisk.filter(({ ports }) => ports.length >= request.ports)
  if (fitting.length === 0) {
    const { name, ports } = mostOf(withDisk, (one) => one.ports.length)
    const text = `no node${which} has ${request.ports} free ports and the room. The most is ${ports.length} on ${name}`
    throw missing('ports', text)
  }

  const node = fitting.toSorted(comparePreference)[0] as (typeof fitting)[number]
  const { total, free } = node.room.memory
  const reason =
    fitting.length === 1
      ? 'It is the only node that fits'
      : `It has the largest share of free memory of the ${fitting.length} nodes that fit: ${size(free)} of ${size(total)}`
  return { node, room: node.room, reason }
}

const stateNames: Readonly<Record<Candidate['state'], string>> = {
  active: 'active',
  draining: 'draining',
  maintenance: 'in maintenance',
  offline: 'offline',
}

/** What is missing is also in the metadata, for programs. */
const missing = (what: 'labels' | 'node' | 'template' | 'memory' | 'disk' | 'ports', reason: string) =>
  new Refusal('ErrNoNodeFits', { reason, missing: what })

function mostOf<T>(nodes: readonly T[], amount: (node: T) => number): T {
  return nodes.reduce((most, node) => (amount(node) > amount(most) ? node : most))
}

/** `8 GiB`, `1.5 GiB`, `512 MiB`, rounded down. */
function size(bytes: number): string {
  if (bytes < gibibyte) return `${Math.floor(bytes / mebibyte)} MiB`
  return `${Math.floor((bytes / gibibyte) * 10) / 10} GiB`
}
