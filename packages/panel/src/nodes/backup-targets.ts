import {
  type BackupTargetInput,
  type BackupTargetTest,
  type BackupTargetTestResult,
  type NodeBackupTargets,
  nodeTargetEndpoints,
} from '@innkeeper/contract/backup-targets'
import type { AuditContext } from '../access/audit-context.ts'
import { type NodeClient, panelIdentity } from './client/node-client.ts'
import type { NodesService } from './nodes.ts'

/** Timeout of a test: the node waits up to a minute for the target. */
const testTimeoutMs = 90_000

type Request = Parameters<NodeClient['request']>[1]

export interface Editing {
  readonly audit: AuditContext
  /** Checked by the node, which stores the target. */
  readonly expectedVersion: string | undefined
}

export type BackupTargetsService = ReturnType<typeof backupTargetsService>

/** The targets of backups of a node. The node keeps them with their secrets; the panel stores nothing of them. */
export function backupTargetsService({ nodes }: { readonly nodes: Pick<NodesService, 'clientFor'> }) {
  const request = async (node: number, options: Request): Promise<unknown> =>
    (await nodes.clientFor(node)).request(panelIdentity, options)
  const pathOf = (target: string) => nodeTargetEndpoints.edit.path.replace(':target', target)

  return {
    async list(node: number): Promise<NodeBackupTargets> {
      const { method, path, response } = nodeTargetEndpoints.list
      return response.parse(await request(node, { method, path }))
    },

    async create(node: number, body: BackupTargetInput, audit: AuditContext): Promise<{ id: string }> {
      const { method, path, response } = nodeTargetEndpoints.create
      audit.setSubject({ target: subjectOf(node, body.name) })
      return response.parse(await request(node, { method, path, body }))
    },

    async edit(node: number, target: string, body: BackupTargetInput, { audit, expectedVersion }: Editing) {
      audit.setSubject({ target: subjectOf(node, body.name) })
      await request(node, { method: nodeTargetEndpoints.edit.method, path: pathOf(target), body, expectedVersion })
    },

    async remove(node: number, target: string, audit: AuditContext): Promise<void> {
      audit.setSubject({ target: subjectOf(node, target) })
      await request(node, { method: nodeTargetEndpoints.remove.method, path: pathOf(target) })
    },

    async test(node: number, body: BackupTargetTest): Promise<BackupTargetTestResult> {
      const { method, path, response } = nodeTargetEndpoints.test
      return response.parse(await request(node, { method, path, body, timeoutMs: testTimeoutMs }))
    },

    async putDefaults(node: number, body: readonly string[], expectedVersion: string | undefined): Promise<void> {
      const { method, path } = nodeTargetEndpoints.putDefaults
      await request(node, { method, path, body, expectedVersion })
    },
  }
}

const subjectOf = (node: number, target: string): string => `${target} (${node})`
