import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getCode } from '../../errors/error-code.ts'

const scanSeconds = 5
/** The best first. */
const types = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'ssh-rsa']

/** A public host key as in `known_hosts`, without the host. */
export interface FoundHostKey {
  readonly hostKey: string
  /** As OpenSSH prints it. */
  readonly fingerprint: string
}

/** Asks an SSH server for its host key, without a login. */
export async function scanHostKey(
  { host, port }: { readonly host: string; readonly port: number },
  path: string,
  signal: AbortSignal,
): Promise<FoundHostKey> {
  const args = ['-T', String(scanSeconds), '-p', String(port), '-t', 'ed25519,ecdsa,rsa', '--', host]
  const options = { env: { PATH: path }, cwd: '/', timeout: 3 * scanSeconds * 1_000, maxBuffer: 256 * 1024, signal }
  const scan = promisify(execFile)('ssh-keyscan', args, options).catch((cause: Error) => {
    signal.throwIfAborted()
    if (getCode(cause) === 'ENOENT') throw new Refusal('ErrMissingBinary', { expected: 'ssh-keyscan' }, { cause })
    throw noHostKey(cause)
  })
  const keys = (await scan).stdout.split('\n').flatMap((line) => {
    const [, type = '', key = ''] = line.split(' ')
    return types.includes(type) && /^[A-Za-z0-9+/]+=*$/.test(key) ? [{ type, key }] : []
  })
  const best = keys.toSorted((a, b) => types.indexOf(a.type) - types.indexOf(b.type))[0]
  if (!best) throw noHostKey()
  const hostKey = `${best.type} ${best.key}`
  return { hostKey, fingerprint: getFingerprint(hostKey) }
}

function noHostKey(cause?: Error): Refusal {
  const reason = 'the target does not respond with an SSH host key. Check its host and port'
  return new Refusal('ErrBackupFailed', { reason }, { cause })
}

/** The fingerprint of a public key. */
export function getFingerprint(hostKey: string): string {
  const [, key = ''] = hostKey.split(' ')
  const hash = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64')
  return `SHA256:${hash.replace('=', '')}`
}
