import type { BackupSettings } from '@innkeeper/contract/definitions/backup-settings'
import { type AwaitLineDeps, sendAndAwaitLine } from '../patterns/await-line.ts'

interface Deps extends AwaitLineDeps {
  readonly server: AwaitLineDeps['server'] & { readonly id: string }
}

/**
 * Sends the commands after which a running server does not change its files, and waits for the line that confirms it.
 * Returns whether it was confirmed. The caller must send the commands `after`, whatever happens.
 */
export async function pauseWrites({ before, waitFor, timeout }: BackupSettings, deps: Deps): Promise<boolean> {
  const { server } = deps
  if (waitFor) {
    const options = { name: `${server.id}/backup`, commands: before, pattern: waitFor, timeoutMs: timeout * 1_000 }
    return (await sendAndAwaitLine(options, deps)) === true
  }
  for (const command of before) server.send(command)
  return true
}
