import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/**
 * Makes backups with the command `innkeeper backup`, in a separate process: copying a large database would block this
 * one. Settings and passphrase come from the same environment.
 */
export function backupCommand(program: readonly string[]) {
  return async (file: string, signal: AbortSignal): Promise<void> => {
    const child = spawn(process.execPath, [...program, 'backup', file], { stdio: ['ignore', 'ignore', 'pipe'], signal })
    const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject))
    const [code, said] = await Promise.all([ended, text(child.stderr)])
    if (code !== 0) throw new Error(`innkeeper backup failed: ${said.trim().slice(0, 2_000)}`)
  }
}
