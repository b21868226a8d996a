import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import type { BackupTargetAddress, BackupTargetSecrets } from '@innkeeper/contract/backups/backup-targets'
import { generate } from 'selfsigned'
import ssh from 'ssh2'
import { vi } from 'vitest'
import { testPath } from './daemon.ts'

type AddressOf<T extends BackupTargetAddress['type']> = Extract<BackupTargetAddress, { type: T }>

/** A server on this machine that stores a repository, which can be stopped and started again. */
export interface TargetServer<T extends BackupTargetAddress = BackupTargetAddress> extends AsyncDisposable {
  readonly address: T
  readonly secrets: BackupTargetSecrets
  /** Where it stores the repository. */
  readonly dir: string
  start(): Promise<void>
  stop(): Promise<void>
}

const [user, password] = ['keeper', 'pass word #%$"\'é']

/** OpenSSH's SFTP server behind an SSH server that accepts a password and a key. */
export async function sftpServer(): Promise<TargetServer<AddressOf<'sftp'>> & { readonly privateKey: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'innkeeper-sftp-'))
  const [hostKey, userKey] = [ssh.utils.generateKeyPairSync('ed25519'), ssh.utils.generateKeyPairSync('ed25519')]
  const allowed = ssh.utils.parseKey(userKey.public)
  if (allowed instanceof Error) throw allowed
  const clients = new Set<ssh.Connection>()
  let server: ssh.Server | undefined
  const port = await freePort()
  const start = async () => {
    server = new ssh.Server({ hostKeys: [hostKey.private] }, (client) => {
      clients.add(client)
      client.on('error', () => {})
      client.on('close', () => clients.delete(client))
      client.on('authentication', (attempt) => {
        const isPassword = attempt.method === 'password' && attempt.password === password
        const isKey =
          attempt.method === 'publickey' &&
          attempt.key.data.equals(allowed.getPublicSSH()) &&
          (!attempt.signature || allowed.verify(attempt.blob ?? '', attempt.signature, attempt.hashAlgo) === true)
        if (attempt.username === user && (isPassword || isKey)) attempt.accept()
        else attempt.reject(['password', 'publickey'])
      })
      client.on('session', (accept) => {
        accept().on('subsystem', (acceptSubsystem) => serveSftp(acceptSubsystem()))
      })
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async () => {
    for (const client of clients) client.end()
    const closed = server && once(server, 'close')
    server?.close()
    await closed
    server = undefined
  }
  await start()
  const [type, key] = hostKey.public.split(' ')
  const address = { type: 'sftp', host: '127.0.0.1', port, user, path: join(dir, 'a repository') } as const
  return {
    address: { ...address, hostKey: `${type} ${key}` },
    secrets: { password },
    privateKey: userKey.private,
    dir: address.path,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      if (server) await stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

function serveSftp(channel: ssh.ServerChannel): void {
  const child = spawn('/usr/lib/openssh/sftp-server', [], { stdio: ['pipe', 'pipe', 'ignore'] })
  channel.pipe(child.stdin)
  child.stdin.on('error', () => {})
  channel.on('error', () => {})
  channel.on('close', () => child.kill())
  child.stdout.pipe(channel, { end: false })
  child.on('close', (code) => {
    channel.exit(code ?? 1)
    channel.end()
  })
}

/** A REST server of rclone, with a certificate that only `address.certificates` trusts. */
export async function restServer(): Promise<TargetServer<AddressOf<'rest'>>> {
  const dir = mkdtempSync(join(tmpdir(), 'innkeeper-rest-'))
  const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
  writeFileSync(join(dir, 'cert.pem'), cert)
  writeFileSync(join(dir, 'key.pem'), key)
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async () => {
    const tls = ['--cert', join(dir, 'cert.pem'), '--key', join(dir, 'key.pem')]
    const login = ['--addr', `127.0.0.1:${port}`, '--user', user, '--pass', password]
    child = spawn('rclone', ['serve', 'restic', ...login, ...tls, '--config', '', join(dir, 'files')], {
      env: { PATH: testPath },
      stdio: 'ignore',
    })
    await vi.waitUntil(() => canConnect(port), { timeout: 20_000, interval: 20 })
  }
  const stop = async () => {
    const exited = child && once(child, 'exit')
    child?.kill('SIGKILL')
    await exited
    child = undefined
  }
  await start()
  return {
    address: { type: 'rest', url: `https://127.0.0.1:${port}/repository/`, user, certificates: cert.trim() },
    secrets: { password },
    dir: join(dir, 'files', 'repository'),
    start,
    stop,
    async [Symbol.asyncDispose]() {
      if (child) await stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** An S3 service that checks the access key. */
export async function s3Server(): Promise<TargetServer<AddressOf<'s3'>>> {
  const directory = mkdtempSync(join(tmpdir(), 'innkeeper-s3-'))
  const port = await freePort()
  let server: S3rver | undefined
  const start = async () => {
    server = new S3rver({
      address: '127.0.0.1',
      port,
      silent: true,
      directory,
      configureBuckets: [{ name: 'backups' }],
      // It computes other signatures than clients for `/bucket/`; an unknown access key is refused all the same.
      allowMismatchedSignatures: true,
    })
    await server.run()
  }
  const stop = async () => {
    await server?.close()
    server = undefined
  }
  await start()
  return {
    address: {
      type: 's3',
      endpoint: `http://127.0.0.1:${port}`,
      bucket: 'backups',
      path: '/node one/',
      region: '',
      usesPathStyle: true,
      certificates: '',
    },
    // Those of s3rver cannot be changed.
    secrets: { accessKey: 'S3RVER', secretKey: 'S3RVER' },
    dir: join(directory, 'backups', 'node one'),
    start,
    stop,
    async [Symbol.asyncDispose]() {
      if (server) await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A TCP port of the loopback address that nothing uses. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  return isOpen
}
