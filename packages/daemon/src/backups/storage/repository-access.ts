import type { BackupTargetAddress, BackupTargetSecrets } from '@innkeeper/contract/backups/backup-targets'

/** How restic reaches a repository on another machine. */
export interface RepositoryAccess {
  /** What is reached, for a check before restic runs. */
  readonly host: string
  readonly port: number
  /** As restic takes it, with a password if it needs one there. */
  readonly location: string
  /** `dir` is where the program sees the files. */
  readonly env: (dir: string) => Readonly<Record<string, string>>
  /** Files that only the daemon's user can read, by name. */
  readonly files: (dir: string) => Readonly<Record<string, string>>
  /** Arguments of each command. */
  readonly args: (dir: string) => readonly string[]
  /** Texts that must not be shown or logged. */
  readonly secrets: readonly string[]
}

/** The name of the target in the configuration of the SSH client. */
const sshAlias = 'target'
/** The name of a file that is executable: OpenSSH gets a password from a program. It has no secret. */
export const executableFile = 'askpass'

export function repositoryAccess(address: BackupTargetAddress, secrets: BackupTargetSecrets): RepositoryAccess {
  switch (address.type) {
    case 'sftp':
      return sftpAccess(address, secrets)
    case 's3':
      return s3Access(address, secrets)
    case 'rest':
      return restAccess(address, secrets)
  }
}

type AddressOf<T extends BackupTargetAddress['type']> = Extract<BackupTargetAddress, { type: T }>

function sftpAccess(
  { host, port, user, path, hostKey }: AddressOf<'sftp'>,
  { password, privateKey }: BackupTargetSecrets,
): RepositoryAccess {
  return {
    host,
    port,
    location: `sftp:${sshAlias}:${path}`,
    env: (dir): Record<string, string> =>
      privateKey ? {} : { SSH_ASKPASS: `${dir}/${executableFile}`, SSH_ASKPASS_REQUIRE: 'force' },
    files: (dir) => ({
      ssh_config: sshConfig({ HostName: host, Port: String(port), User: user }, dir, privateKey !== undefined),
      known_hosts: `${sshAlias} ${hostKey}\n`,
      ...(privateKey
        ? { key: `${privateKey.replaceAll('\r\n', '\n')}\n` }
        : { password: `${password ?? ''}\n`, [executableFile]: `#!/bin/sh\nexec cat "${dir}/password"\n` }),
    }),
    args: (dir) => ['-o', `sftp.command=ssh -F '${dir}/ssh_config' ${sshAlias} -s sftp`],
    secrets: [password, privateKey].flatMap((secret) => secret || []),
  }
}

/** Uses only the given key or password, and accepts only the confirmed host key. */
function sshConfig(host: Readonly<Record<string, string>>, dir: string, hasKey: boolean): string {
  const options = {
    ...host,
    HostKeyAlias: sshAlias,
    UserKnownHostsFile: `"${dir}/known_hosts"`,
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'yes',
    UpdateHostKeys: 'no',
    CheckHostIP: 'no',
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    IdentityFile: hasKey ? `"${dir}/key"` : 'none',
    BatchMode: hasKey ? 'yes' : 'no',
    PreferredAuthentications: hasKey ? 'publickey' : 'password,keyboard-interactive',
    NumberOfPasswordPrompts: '1',
    ConnectTimeout: '15',
    ServerAliveInterval: '15',
    ServerAliveCountMax: '4',
    ClearAllForwardings: 'yes',
  }
  const lines = Object.entries(options).map(([name, value]) => `  ${name} ${value}\n`)
  return `Host ${sshAlias}\n${lines.join('')}`
}

function s3Access(
  { endpoint, bucket, path, region, usesPathStyle, certificates }: AddressOf<'s3'>,
  { accessKey = '', secretKey = '' }: BackupTargetSecrets,
): RepositoryAccess {
  const url = new URL(endpoint)
  const folders = path.split('/').filter((name) => name !== '')
  return {
    ...getPlace(url),
    location: `s3:${[url.origin, bucket, ...folders].join('/')}`,
    env: () => ({ AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey }),
    ...trusting(certificates, [
      ...['-o', `s3.bucket-lookup=${usesPathStyle ? 'path' : 'dns'}`],
      ...(region === '' ? [] : ['-o', `s3.region=${region}`]),
    ]),
    secrets: [secretKey],
  }
}

function restAccess(
  { url, user, certificates }: AddressOf<'rest'>,
  { password }: BackupTargetSecrets,
): RepositoryAccess {
  const location = new URL(url)
  // restic 0.14 takes them only here. The location is in the environment, not in the arguments.
  location.username = encodeURIComponent(user)
  location.password = encodeURIComponent(password ?? '')
  return {
    ...getPlace(location),
    location: `rest:${location.href}`,
    env: () => ({}),
    ...trusting(certificates),
    secrets: password ? [password, encodeURIComponent(password)] : [],
  }
}

function getPlace({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  const host = hostname.replace(/^\[|\]$/g, '')
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }
}

/** restic replaces the certificates of the system by those of the file. */
function trusting(certificates: string, args: readonly string[] = []): Pick<RepositoryAccess, 'files' | 'args'> {
  if (certificates === '') return { files: () => ({}), args: () => args }
  return {
    files: () => ({ 'ca.pem': `${certificates}\n` }),
    args: (dir) => [...args, '--cacert', `${dir}/ca.pem`],
  }
}
