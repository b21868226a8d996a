import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import ssh from 'ssh2'
import { vi } from 'vitest'
import { freePort } from './target-servers.ts'

/** OpenSSH's server on the loopback address, whose SFTP sessions begin in a directory of its own. */
export class OpenSshServer implements AsyncDisposable {
  readonly port: number
  readonly user = userInfo().username
  readonly #folder: string
  readonly #server: ChildProcess

  private constructor(folder: string, port: number, server: ChildProcess) {
    this.#folder = folder
    this.port = port
    this.#server = server
  }

  /** `key` is the public key of the user who may sign in. */
  static async start(key: string): Promise<OpenSshServer> {
    const folder = mkdtempSync(join(tmpdir(), 'innkeeper-sshd-'))
    const port = await freePort()
    const hostKey = ssh.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private
    writeFileSync(join(folder, 'host-key'), hostKey, { mode: 0o600 })
    writeFileSync(join(folder, 'keys'), `${key}\n`, { mode: 0o600 })
    mkdirSync(join(folder, 'files'))
    // As root, it needs a directory that its service creates.
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
    const settings = {
      ListenAddress: `127.0.0.1:${port}`,
      HostKey: join(folder, 'host-key'),
      AuthorizedKeysFile: join(folder, 'keys'),
      PidFile: 'none',
      PermitRootLogin: 'yes',
      StrictModes: 'no',
      UsePAM: 'no',
      MaxStartups: '100',
      Subsystem: `sftp /usr/lib/openssh/sftp-server -u 022 -d ${join(folder, 'files')}`,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}`)
    writeFileSync(join(folder, 'config'), `${lines.join('\n')}\n`)
    const server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(folder, 'config')], { stdio: 'ignore' })
    await vi.waitFor(() => isListening(port), 10_000)
    return new OpenSshServer(folder, port, server)
  }

  inside(...names: readonly string[]): string {
    return join(this.#folder, 'files', ...names)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#server, 'exit')
    this.#server.kill()
    await exited
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function isListening(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
  } finally {
    socket.destroy()
  }
}
