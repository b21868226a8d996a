import type { RequiredPermission } from '@innkeeper/contract/permissions'
import type { AccessService } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'

interface Needs {
  readonly access: Pick<AccessService, 'rightsOn'>
  /** Whom those of the callers' credentials that are live speak for now, past every cache. */
  readonly currentCallers: (callers: readonly Caller[]) => Promise<Caller[]>
}

/** On what grounds something was opened that stays open. */
export interface Ground {
  readonly caller: Caller
  readonly server: string
  readonly rights: ReadonlySet<RequiredPermission>
}

/** So many are looked at with the same few questions to the database. */
const pageSize = 200

/**
 * Those whose grounds are gone: the credential ended, or a right that was there when it was opened. Asks a few questions
 * for each page, however many people and servers these are.
 */
export async function withdrawn<G extends Ground>(all: Iterable<G>, { access, currentCallers }: Needs): Promise<G[]> {
  const [grounds, gone]: [G[], G[]] = [[...all], []]
  for (let at = 0; at < grounds.length; at += pageSize) {
    const page = grounds.slice(at, at + pageSize)
    const live = new Map(
      (await currentCallers(page.map(({ caller }) => caller))).map((caller) => [caller.sessionId, caller]),
    )
    const standing = page.flatMap((ground) => {
      const caller = live.get(ground.caller.sessionId)
      return caller ? [{ ground, caller, server: ground.server }] : []
    })
    const held = await access.rightsOn(standing)
    const kept = new Set<G>()
    for (const [index, { ground }] of standing.entries()) {
      const now = held[index]
      if (now?.has('viewServer') && [...ground.rights].every((right) => now.has(right))) kept.add(ground)
    }
    gone.push(...page.filter((ground) => !kept.has(ground)))
  }
  return gone
}
