import { z } from 'zod/mini'
import { BackupId, BackupJob } from './backups.ts'
import { ServerDefinition } from './definition.ts'
import { ServerId } from './names.ts'

const OnServer = z.object({ id: ServerId })
const OnBackup = z.extend(OnServer, { backup: BackupId })

/** Endpoints of a node for the panel that clones a server, see `panelOnlyEndpoints`. */
export const cloneEndpoints = {
  /** The definition in a backup. Throws ErrBackupFailed when it has none. */
  backupDefinition: {
    method: 'GET',
    path: '/daemon/server/:id/backup/definition/:backup',
    params: OnBackup,
    response: ServerDefinition,
  },
  /** The files of a backup as a tar. */
  exportBackup: { method: 'GET', path: '/daemon/server/:id/backup/export/:backup', params: OnBackup },
  /** Fills a new server of the same node with the files of a backup. */
  fillFromBackup: {
    method: 'POST',
    path: '/daemon/server/:id/fill',
    params: OnServer,
    body: z.object({ source: ServerId, backup: BackupId }),
    response: BackupJob,
  },
  /** Queues the job that fills a new server with the files of another node. While it runs, it waits for them. */
  queueImport: {
    method: 'POST',
    path: '/daemon/server/:id/import',
    params: OnServer,
    body: z.object({ backup: BackupId }),
    response: BackupJob,
  },
  /**
   * Sends the files to a running job, as a tar. Responds when they are all stored. Throws ErrNotFound when the job does
   * not run, and ErrTaskInterrupted when it can be repeated.
   */
  importFiles: {
    method: 'PUT',
    path: '/daemon/server/:id/import/:job',
    params: z.extend(OnServer, { job: z.string().check(z.maxLength(100)) }),
  },
} as const
