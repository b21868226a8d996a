import type { RequiredPermission } from '@innkeeper/contract/permissions'
import type { AccessService } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'

interface Deps {
  readonly access: Pick<AccessService, 'permissionsOf'>
  /** Whom those of the callers' credentials that are live speak for now, past every cache. */
  readonly resolveUncached: (principals: readonly Principal[]) => Promise<Principal[]>
}

/** On what grounds something was opened that stays open. */
export interface Grant {
  readonly principal: Principal
  readonly server: string
  readonly rights: ReadonlySet<RequiredPermission>
}

/** So many are looked at with the same few questions to the database. */
const pageSize = 200

/**
 * Those whose grounds are gone: the credential ended, or a right that was there when it was opened. Asks a few questions
 * for each page, however many people and servers these are.
 */
export async function findRevoked<G extends Grant>(all: Iterable<G>, { access, resolveUncached }: Deps): Promise<G[]> {
  const [grounds, gone]: [G[], G[]] = [[...all], []]
  for (let at = 0; at < grounds.length; at += pageSize) {
    const page = grounds.slice(at, at + pageSize)
    const live = new Map(
      (await resolveUncached(page.map(({ principal }) => principal))).map((principal) => [
        principal.sessionId,
        principal,
      ]),
    )
    const standing = page.flatMap((ground) => {
      const principal = live.get(ground.principal.sessionId)
      return principal ? [{ ground, principal, server: ground.server }] : []
    })
    const held = await access.permissionsOf(standing)
    const kept = new Set<G>()
    for (const [index, { ground }] of standing.entries()) {
      const now = held[index]
      if (now?.has('viewServer') && [...ground.rights].every((permission) => now.has(permission))) kept.add(ground)
    }
    gone.push(...page.filter((ground) => !kept.has(ground)))
  }
  return gone
}
