import type {
  BackupTargetInput,
  BackupTargetTest,
  BackupTargetTestResult,
  NodeBackupTargets,
} from '@innkeeper/contract/backups/backup-targets'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import type { AuditContext } from '../access/audit-context.ts'
import type { NodesService } from './nodes.ts'

/** Timeout of a test: the node waits up to a minute for the target. */
const testTimeoutMs = 90_000

export interface Editing {
  readonly audit: AuditContext
  /** Checked by the node, which stores the target. */
  readonly expectedVersion: string | undefined
}

export type BackupTargetsService = ReturnType<typeof backupTargetsService>

/** The targets of backups of a node. The node keeps them with their secrets; the panel stores nothing of them. */
export function backupTargetsService({ nodes }: { readonly nodes: Pick<NodesService, 'clientFor'> }) {
  return {
    async list(node: number): Promise<NodeBackupTargets> {
      const client = await nodes.clientFor(node)
      return await client.call(panelEndpoints.listBackupTargets, {})
    },

    async create(node: number, body: BackupTargetInput, audit: AuditContext): Promise<{ id: string }> {
      audit.setSubject({ target: getSubject(node, body.name) })
      const client = await nodes.clientFor(node)
      return await client.call(panelEndpoints.createBackupTarget, { body })
    },

    async edit(node: number, target: string, body: BackupTargetInput, { audit, expectedVersion }: Editing) {
      audit.setSubject({ target: getSubject(node, body.name) })
      const client = await nodes.clientFor(node)
      await client.call(panelEndpoints.editBackupTarget, { params: { target }, body }, { expectedVersion })
    },

    async remove(node: number, target: string, audit: AuditContext): Promise<void> {
      audit.setSubject({ target: getSubject(node, target) })
      const client = await nodes.clientFor(node)
      await client.call(panelEndpoints.deleteBackupTarget, { params: { target } })
    },

    async test(node: number, body: BackupTargetTest): Promise<BackupTargetTestResult> {
      const client = await nodes.clientFor(node)
      return await client.call(panelEndpoints.testBackupTarget, { body }, { timeoutMs: testTimeoutMs })
    },

    async putDefaults(node: number, body: readonly string[], expectedVersion: string | undefined): Promise<void> {
      const client = await nodes.clientFor(node)
      await client.call(panelEndpoints.putDefaultBackupTargets, { body: [...body] }, { expectedVersion })
    },
  }
}

const getSubject = (node: number, target: string): string => `${target} (${node})`
