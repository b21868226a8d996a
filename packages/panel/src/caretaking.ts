import { commandActions } from '@innkeeper/contract/activity'
import type { Logger } from 'pino'
import { activityLog } from './activity/activity.ts'
import { passwords } from './auth/passwords.ts'
import { sessionsService } from './auth/sessions.ts'
import { openUpToDate } from './database/database.ts'
import { mailService } from './mail/mail.ts'
import { postOffice } from './mail/office.ts'
import { realServices } from './mail/providers.ts'
import { nodeDirectory } from './nodes/directory.ts'
import { rotateKey } from './nodes/signing-keys.ts'
import { type OfflineRemoval, offlineRemoval } from './servers/offline-removal.ts'
import { settingsService } from './settings/settings.ts'
import { type CaretakerService, caretakerService, fromCommandLine } from './users/caretaker.ts'

/** What a caretaker works with. */
export interface CaretakingNeeds {
  readonly databaseUrl: string
  readonly masterUrl?: string | undefined
  readonly log: Logger
  /** Epoch milliseconds. */
  readonly now?: () => number
}

/** Users, nodes and servers without a panel, or beside one that runs on the same database. */
export interface Caretaking {
  readonly people: CaretakerService
  readonly removal: OfflineRemoval
  /** Makes the key that panels sign with next; not while an earlier change is under way. */
  rotateKey(): Promise<'made' | 'underWay'>
  close(): Promise<void>
}

/**
 * Opens the database for a caretaker. Mail is only queued: a running panel sends it.
 * @throws NotUpToDate when the database is not there, or not as this program knows it.
 */
export async function openCaretaking({ databaseUrl, masterUrl, log, ...given }: CaretakingNeeds): Promise<Caretaking> {
  const now = given.now ?? Date.now
  const db = await openUpToDate(databaseUrl)
  const settings = settingsService({ db, masterUrl, log, now })
  const post = postOffice({ settings, services: realServices, now })
  const mail = mailService({ db, settings, post, nudge: () => {}, log, now })
  const sessions = sessionsService({ db, now })
  const activity = activityLog({ db, now })
  const people = caretakerService({
    db,
    sessions,
    passwords: passwords(),
    mail,
    activity,
    now,
  })
  const rotated = { action: commandActions.rotateKey, from: fromCommandLine, result: 'done' } as const
  return {
    people,
    removal: offlineRemoval({ db, directory: nodeDirectory({ db, now }), mail, activity, now }),
    rotateKey: () =>
      rotateKey(db, now(), async (transaction) => {
        await activity.record(rotated, transaction)
      }),
    close: () => db.destroy(),
  }
}
