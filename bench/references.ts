import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { run, Service } from './programs.ts'

/** nginx with a folder for downloads, and uploads by WebDAV. */
export async function startNginx(dir: string): Promise<{ port: number; files: string } & AsyncDisposable> {
  const port = await freePort()
  const files = join(dir, 'nginx-files')
  await mkdir(files, { recursive: true })
  await mkdir(join(dir, 'nginx-temp'), { recursive: true })
  const config = join(dir, 'nginx.conf')
  await writeFile(
    config,
    `daemon off; user root; worker_processes 1; pid ${dir}/nginx.pid; error_log ${dir}/nginx.log;
events { worker_connections 64; }
http {
  access_log off; sendfile on; tcp_nopush on; client_max_body_size 0;
  client_body_temp_path ${dir}/nginx-temp;
  server { listen 127.0.0.1:${port}; root ${files}; location / { dav_methods PUT DELETE; autoindex on; autoindex_format json; }
    location /copied/ { alias ${files}/; sendfile off; } }
}
`,
  )
  const service = await Service.start('/usr/sbin/nginx', ['-c', config, '-e', `${dir}/nginx.log`], () =>
    acceptsConnections(port),
  )
  return { port, files, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

/** OpenSSH's server with its own keys; SFTP reaches the whole file system. */
export async function startSshd(dir: string): Promise<{ port: number; identity: string } & AsyncDisposable> {
  const port = await freePort()
  const identity = join(dir, 'identity')
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'bench', '-f', identity])
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, 'host-key')])
  // Its privilege separation directory, which it does not create.
  await mkdir('/run/sshd', { recursive: true })
  const config = join(dir, 'sshd_config')
  await writeFile(
    config,
    `ListenAddress 127.0.0.1:${port}
HostKey ${dir}/host-key
AuthorizedKeysFile ${identity}.pub
PermitRootLogin yes
PasswordAuthentication no
UsePAM no
StrictModes no
PidFile none
Subsystem sftp internal-sftp
MaxStartups 100
MaxSessions 100
`,
  )
  const service = await Service.start('/usr/sbin/sshd', ['-D', '-e', '-q', '-f', config], () =>
    acceptsConnections(port),
  )
  return { port, identity, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

export function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
