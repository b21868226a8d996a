import { z } from 'zod/mini'

/** Bytes: `total` with the factor of the node, and what is free for new servers. */
const Room = z.object({ total: z.number(), free: z.number() })

/** The room of a node for new servers, according to its last report and the reservations. */
export const NodeRoom = z.object({ memory: Room, disk: Room })
export type NodeRoom = z.infer<typeof NodeRoom>

interface Candidate {
  readonly name: string
  readonly room: NodeRoom
}

/** Sorts nodes by preference: the largest share of free memory, then of free disk space, then by name. */
export function comparePreference(a: Candidate, b: Candidate): number {
  const share = ({ total, free }: { readonly total: number; readonly free: number }) => (total > 0 ? free / total : 0)
  return (
    share(b.room.memory) - share(a.room.memory) ||
    share(b.room.disk) - share(a.room.disk) ||
    (a.name < b.name ? -1 : Number(a.name > b.name))
  )
}
