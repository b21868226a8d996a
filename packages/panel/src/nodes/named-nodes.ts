import { localNodeId } from '@innkeeper/contract/nodes'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Database } from '../database/schema.ts'
import type { NodeRepository } from './node-repository.ts'
import type { LocalNode } from './node-views.ts'

export interface NamedNode {
  readonly id: number
  readonly name: string
}

interface Deps {
  readonly repository: Pick<NodeRepository, 'all'>
  readonly localNode: LocalNode | undefined
}

/** All nodes, the local one first; or one. Throws ErrNotFound. */
export async function namedNodes({ repository, localNode }: Deps, only?: number): Promise<readonly NamedNode[]> {
  const others = (await repository.all()).map(({ id, name }) => ({ id, name }))
  const all = localNode ? [{ id: localNodeId, name: localNode.name }, ...others] : others
  const selected = all.filter(({ id }) => only === undefined || id === only)
  if (only !== undefined && selected.length === 0) throw new Refusal('ErrNotFound')
  return selected
}

/** The names of the servers of a node by ID: it knows only their IDs. */
export async function serverNames(db: Database, node: number): Promise<ReadonlyMap<string, string>> {
  const rows = await db.selectFrom('servers').select(['id', 'name']).where('node_id', '=', node).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
