import type { Logger } from 'pino'
import { activityLog } from './activity/activity.ts'
import { passwords } from './auth/passwords.ts'
import { sessionsService } from './auth/sessions.ts'
import { openMigrated } from './database/database.ts'
import { type ImportService, importService } from './import/import-service.ts'
import { mailService } from './mail/mail.ts'
import { createMailer } from './mail/mailer.ts'
import { defaultProviderUrls } from './mail/providers.ts'
import { nodeRepository } from './nodes/node-repository.ts'
import { rotateKey } from './nodes/signing-keys.ts'
import { type OfflineRemoval, offlineRemoval } from './servers/offline-removal.ts'
import { settingsService } from './settings/settings.ts'
import { cliSessions, type OpenCliSession } from './users/cli-session.ts'
import { type CliUsersService, cliUsersService, fromCommandLine } from './users/cli-users.ts'

/** Options of the services for the command line. */
export interface CliOptions {
  readonly databaseUrl: string
  readonly masterUrl?: string | undefined
  readonly log: Logger
  /** Epoch milliseconds. */
  readonly now?: () => number
}

/** Services for the command line, without a running panel or next to one on the same database. */
export interface CliContext {
  readonly users: CliUsersService
  readonly removal: OfflineRemoval
  readonly imports: ImportService
  readonly openSession: OpenCliSession
  /** Generates the next signing key, unless a rotation is in progress. */
  rotateKey(): Promise<'created' | 'inProgress'>
  close(): Promise<void>
}

/**
 * Opens the database for the command line. Mails are only queued: a running panel sends them.
 * @throws PendingMigrationsError when the database does not exist or has pending migrations
 */
export async function openCliContext({ databaseUrl, masterUrl, log, ...options }: CliOptions): Promise<CliContext> {
  const now = options.now ?? Date.now
  const db = await openMigrated(databaseUrl)
  const settings = settingsService({ db, masterUrl, log, now })
  const post = createMailer({ settings, services: defaultProviderUrls, now })
  const mail = mailService({ db, settings, post, wake: () => {}, log, now })
  const sessions = sessionsService({ db, now })
  const activity = activityLog({ db, now })
  const hashing = passwords()
  const users = cliUsersService({
    db,
    sessions,
    passwords: hashing,
    mail,
    activity,
    now,
  })
  const rotated = { action: 'panel.key.rotate', from: fromCommandLine, result: 'done' } as const
  return {
    users,
    removal: offlineRemoval({ db, repository: nodeRepository({ db, now }), mail, activity, now }),
    imports: importService({ db, passwords: hashing, activity, now }),
    openSession: cliSessions({ db, sessions, activity }),
    rotateKey: () =>
      rotateKey(db, now(), async (transaction) => {
        await activity.record(rotated, transaction)
      }),
    close: () => db.destroy(),
  }
}
