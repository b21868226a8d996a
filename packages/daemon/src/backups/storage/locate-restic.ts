import { spawn } from 'node:child_process'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { locateProgram } from '../../environments/locate-program.ts'
import { cancelTimeoutMs, readExit } from './restic-process.ts'

/** The first version with compression and downloads as zip. */
const oldest = [0, 14] as const

interface LocatedRestic {
  readonly file: string
  readonly version: string
  readonly numbers: { readonly major: number; readonly minor: number }
}

/**
 * The path of the program, what it prints as its version, and the first numbers of that.
 * @throws Refusal when it is missing or too old
 */
export async function locateRestic(program: string, path: string): Promise<LocatedRestic> {
  const { file } = await locateProgram({ key: '', file: program, args: [], cwd: '/', env: { PATH: path } })
  const child = spawn(file, ['version'], { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.on('data', (data: Buffer) => {
    text = (text + data.toString()).slice(0, 200)
  })
  await readExit(child, AbortSignal.timeout(cancelTimeoutMs))
  const [, major, minor] = /^restic (\d+)\.(\d+)/.exec(text) ?? []
  const isOld = Number(major) === oldest[0] && Number(minor) < oldest[1]
  if (major === undefined || isOld) {
    const values = { version: oldest.join('.'), found: text.trim() || 'no version' }
    throw new Refusal('ErrBackupFailed', { reason: formatReason('resticTooOld', values) })
  }
  return { file, version: text.trim(), numbers: { major: Number(major), minor: Number(minor) } }
}
