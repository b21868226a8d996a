import {
  type BackupOverview,
  type BackupUsage,
  maxBackupFailures,
  maxLargestBackups,
} from '@innkeeper/contract/backups/node-backups'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import type { Database } from '../database/schema.ts'
import { type NamedNode, type NamedNodesDeps, namedNodes, serverNames } from './named-nodes.ts'
import type { NodesService } from './nodes.ts'

interface Deps extends NamedNodesDeps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'tryRead'>
}

export type BackupOverviewService = ReturnType<typeof backupOverviewService>

/** Space and failures of the backups of all nodes. */
export function backupOverviewService({ db, nodes, ...named }: Deps) {
  /** The backups of the servers of a node that the panel knows. */
  async function readServers(node: NamedNode, usage: readonly BackupUsage[] = []) {
    const names = await serverNames(db, node.id)
    return usage.flatMap(({ server: id, ...backupUsage }) => {
      const name = names.get(id)
      return name === undefined ? [] : [{ ...backupUsage, node, server: { id, name } }]
    })
  }

  return {
    /** Of all nodes, or of one. Nodes that do not respond have no usage. Throws ErrNotFound. */
    async overview(only: number | undefined): Promise<BackupOverview> {
      const selected = await namedNodes(named, only)
      const answers = await Promise.all(
        selected.map(async (node) => ({
          node,
          usage: await nodes.tryRead(node.id, panelEndpoints.getBackupUsage, {}),
        })),
      )
      const servers = (await Promise.all(answers.map(({ node, usage }) => readServers(node, usage)))).flat()
      return {
        nodes: answers.map(({ node, usage }) => ({ ...node, ...(usage && { usage: getSum(usage) }) })),
        largest: servers
          .flatMap(({ node, server, backups, bytes = 0 }) => (bytes > 0 ? [{ node, server, backups, bytes }] : []))
          .toSorted((a, b) => b.bytes - a.bytes)
          .slice(0, maxLargestBackups),
        failures: servers
          .flatMap(({ node, server, failure }) => (failure ? [{ ...failure, node, server }] : []))
          .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
          .slice(0, maxBackupFailures),
      }
    },
  }
}

function getSum(usage: readonly BackupUsage[]) {
  return {
    backups: usage.reduce((sum, { backups }) => sum + backups, 0),
    bytes: usage.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
    unmeasured: usage.filter(({ backups, bytes }) => backups > 0 && bytes === undefined).length,
  }
}
