import { join } from 'node:path'
import ssh2 from 'ssh2'
import { loadOrCreateSecret } from '../../panel-link/secret-file.ts'

/** The key by which clients know this node, made once: with another one they would warn of an impostor. */
export async function openHostKey(dataDir: string): Promise<string> {
  const path = join(dataDir, 'sftp-host-key')
  const key = await loadOrCreateSecret(path, newHostKey)
  if (!isReadable(key)) {
    throw new Error(`${path} is damaged. Restore it from a backup, or remove it for a new key.`)
  }
  return key
}

/** The library writes about one key in 170 in a way that it cannot read itself. */
export function newHostKey(): string {
  for (;;) {
    const key = ssh2.utils.generateKeyPairSync('ed25519').private
    if (isReadable(key)) return key
  }
}

const isReadable = (key: string): boolean => !(ssh2.utils.parseKey(key) instanceof Error)
