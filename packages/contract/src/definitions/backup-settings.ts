import { z } from 'zod/mini'
import { limits } from '../text/limits.ts'
import type { Definition } from './definition.ts'

const Lines = z.pipe(
  z.transform((given) => (typeof given === 'string' ? [given] : (given ?? []))),
  z.array(z.string().check(z.minLength(1), z.maxLength(limits.commandBytes))).check(z.maxLength(limits.backupLines)),
)

/** The field `backup` of a definition: how a running server is backed up. */
export const BackupSettings = z.looseObject({
  /** Commands after which the server does not change its files. */
  before: Lines,
  /** A line of output that matches this pattern (`pattern.ts`) shows that all is written. */
  waitFor: z.nullish(z.string().check(z.maxLength(limits.patternMax))),
  /** Commands that undo the first ones. */
  after: Lines,
  /** Seconds to wait for that line. */
  timeout: z._default(z.coerce.number().check(z.minimum(1), z.maximum(600)), 60),
  /** Files that are left out, with the patterns of restic. */
  exclude: Lines,
  /** Whether a copy of the server becomes ready without a network, so that it can be started to verify a backup. */
  boot: z._default(z.boolean(), true),
})
export type BackupSettings = z.infer<typeof BackupSettings>

/** How a running server is backed up; undefined when the definition does not say it, or says something invalid. */
export function findBackupSettings({ backup }: Pick<Definition, 'backup'>): BackupSettings | undefined {
  return backup === undefined || backup === null ? undefined : BackupSettings.safeParse(backup).data
}
