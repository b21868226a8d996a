import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { admin } from './test-installation.ts'

/** A folder for temporary files, and the port of an SFTP server. */
interface SftpServer {
  readonly folder: string
  readonly sftpPort: number
}

/** Runs commands in the OpenSSH client. */
export async function sftp(
  { folder, sftpPort }: SftpServer,
  user: string,
  commands: string,
  how: readonly string[] = [],
  password = admin.password,
) {
  const askpass = join(folder, `askpass-${randomBytes(4).toString('hex')}`)
  await writeFile(askpass, `#!/bin/sh\necho '${password}'\n`, { mode: 0o700 })
  const quiet = ['BatchMode=no', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR']
  const options = [...quiet, 'NumberOfPasswordPrompts=1', `User=${user}`, `Port=${sftpPort}`, ...how]
  const env = { PATH: '/usr/bin:/bin', HOME: folder, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' }
  return await runWithInput(
    'sftp',
    [...options.flatMap((option) => ['-o', option]), '-b', '-', '127.0.0.1'],
    env,
    commands,
  )
}

/** Runs a program and returns its exit code and its output. */
export function runWithInput(file: string, args: readonly string[], env: Record<string, string>, input: string) {
  return new Promise<{ code: number; out: string }>((resolve) => {
    const child = execFile(file, args, { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out: out + err })
    })
    // A rejected client exits before it reads its commands.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
