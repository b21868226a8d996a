import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { AccessService } from '../access/access.ts'
import { credentialKey, type Principal } from '../access/principal.ts'

interface Deps {
  readonly access: Pick<AccessService, 'readPermissions'>
  /** Resolves the credentials of principals without a cache; those that ended are omitted. */
  readonly resolveUncached: (principals: readonly Principal[]) => Promise<Principal[]>
}

/** The authorization of an open connection. */
export interface Grant {
  readonly principal: Principal
  readonly server: string
  readonly permissions: ReadonlySet<RequiredPermission>
}

/** Number of grants that are checked with the same queries. */
const pageSize = 200

interface Changes<G> {
  /** Grants whose credential ended or that lost a permission. */
  readonly revoked: readonly G[]
  /** Grants that are valid and have a permission that they did not have. */
  readonly extended: readonly G[]
}

/** Compares grants with the permissions of now. Three queries per page of grants. */
export async function findChanged<G extends Grant>(
  all: Iterable<G>,
  { access, resolveUncached }: Deps,
): Promise<Changes<G>> {
  const [grounds, revoked, extended]: [G[], G[], G[]] = [[...all], [], []]
  for (let at = 0; at < grounds.length; at += pageSize) {
    const page = grounds.slice(at, at + pageSize)
    const live = new Map(
      (await resolveUncached(page.map(({ principal }) => principal))).map((principal) => [
        credentialKey(principal),
        principal,
      ]),
    )
    const standing = page.flatMap((ground) => {
      const principal = live.get(credentialKey(ground.principal))
      return principal ? [{ ground, principal, server: ground.server }] : []
    })
    const permissions = await access.readPermissions(standing)
    const kept = new Set<G>()
    for (const [index, { ground }] of standing.entries()) {
      const now = permissions[index]
      if (!now?.has('viewServer') || ![...ground.permissions].every((permission) => now.has(permission))) continue
      kept.add(ground)
      if (now.size > ground.permissions.size) extended.push(ground)
    }
    revoked.push(...page.filter((ground) => !kept.has(ground)))
  }
  return { revoked, extended }
}
