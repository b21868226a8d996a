import { Refusal } from '@innkeeper/contract/errors/refusals'
import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import type { Database } from '../database/schema.ts'
import type { NodeRepository } from './node-repository.ts'
import type { LocalNode } from './node-views.ts'
import type { NodeReports } from './reports.ts'

export interface NamedNode {
  readonly id: number
  readonly name: string
}

export interface NamedNodesDeps {
  readonly repository: Pick<NodeRepository, 'all'>
  readonly reports: Pick<NodeReports, 'readHealth'>
  readonly localNode: LocalNode | undefined
}

/**
 * All nodes that can be asked, the local one first; or one. A node that waits for its first connection is not asked: it
 * is not missing. Throws ErrNotFound.
 */
export async function namedNodes(
  { repository, reports, localNode }: NamedNodesDeps,
  only?: number,
): Promise<readonly NamedNode[]> {
  const others = (await repository.all()).map(({ id, name }) => ({ id, name }))
  const all = localNode ? [{ id: localNodeId, name: localNode.name }, ...others] : others
  const selected = all.filter(({ id }) => only === undefined || id === only)
  if (only !== undefined && selected.length === 0) throw new Refusal('ErrNotFound')
  const health = await reports.readHealth(selected.map(({ id }) => id))
  return selected.filter(({ id }) => id === localNodeId || (health.get(id)?.state ?? 'waiting') !== 'waiting')
}

/** Names of nodes by ID; the ID itself for one that was deleted. */
export async function readNodeNames({
  repository,
  localNode,
}: Pick<NamedNodesDeps, 'repository'> & { readonly localNode?: LocalNode | undefined }): Promise<
  (id: number) => string
> {
  const names = new Map((await repository.all()).map(({ id, name }) => [id, name]))
  return (id) => (id === localNodeId ? (localNode?.name ?? '') : (names.get(id) ?? `${id}`))
}

/** The names of the servers of a node by ID: it knows only their IDs. */
export async function serverNames(db: Database, node: number): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('servers').select(['id', 'name']).where('node_id', '=', node).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
