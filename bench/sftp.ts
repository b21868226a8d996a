import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addSshKey } from '@innkeeper/contract/accounts/ssh-keys'
import { getSftpUser } from '@innkeeper/contract/node-link/sftp'
import type { Comparison } from './compare.ts'
import { run } from './programs.ts'
import { slowLink } from './slow-link.ts'
import { writeIncompressibleFile, writeSmallFiles } from './test-files.ts'
import type { TestInstallation } from './test-installation.ts'

/** OpenSSH's client, with the same cipher, with our SFTP server and with OpenSSH's. */
export async function sftpComparisons(
  installation: TestInstallation,
  sshd: { readonly port: number; readonly identity: string },
  dir: string,
): Promise<Comparison[]> {
  const big = join(dir, 'sftp-big.bin')
  const medium = join(dir, 'sftp-medium.bin')
  const small = join(dir, 'small')
  // The same folder for both: creating files in ext4 can take longer in one folder than in another.
  const home = installation.folder
  const downloads = join(dir, 'downloads')
  await writeIncompressibleFile(big, 512)
  await writeIncompressibleFile(medium, 64)
  await writeSmallFiles(small, 2_000, 4_096)
  await run('cp', [big, join(home, 'get.bin')])
  await run('cp', ['-r', small, join(home, 'get-small')])
  await writeSmallFiles(join(home, 'listed-by-sftp'), 10_000, 10)
  await mkdir(downloads, { recursive: true })
  const key = await readFile(`${sshd.identity}.pub`, 'utf8')
  await installation.send(addSshKey, { body: { key, password: installation.password } })

  const { pid } = installation
  const sftp = (port: number, user: string, commands: string) =>
    run(
      'sftp',
      [
        ...['-q', '-b', '-', '-P', String(port), '-i', sshd.identity],
        ...['-o', `User=${user}`, '-o', 'IdentitiesOnly=yes', '-o', 'Ciphers=aes128-gcm@openssh.com'],
        ...['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR'],
        '127.0.0.1',
      ],
      { input: commands },
    )
  const user = getSftpUser(installation.email, installation.server)
  const comparison = (
    name: string,
    speed: number,
    operations: Pick<Comparison, 'ours' | 'reference' | 'cleanUp'>,
  ): Comparison => ({
    name: `sftp: ${name}`,
    goal: { speed },
    referenceName: 'OpenSSH',
    ...operations,
    pid,
  })
  const both = (name: string, speed: number, commands: () => string, cleanUp?: () => Promise<unknown>): Comparison =>
    comparison(name, speed, {
      ours: () => sftp(installation.sftpPort, user, commands()),
      reference: () => sftp(sshd.port, 'root', `cd ${home}\n${commands()}`),
      ...(cleanUp && { cleanUp }),
    })
  const overLatency = (commands: string, cleanUp: () => Promise<unknown>): Comparison =>
    comparison('put 64 MiB over a link of 50 ms', 0.95, {
      ours: () => overSlowLink(installation.sftpPort, (port) => sftp(port, user, commands)),
      reference: () => overSlowLink(sshd.port, (port) => sftp(port, 'root', `cd ${home}\n${commands}`)),
      cleanUp,
    })
  const rclone = (port: number, user: string, path: string) =>
    run('rclone', ['copy', '--transfers', '8', '--checkers', '8', '--no-traverse', small, `bench:${path}`], {
      env: {
        ...process.env,
        RCLONE_CONFIG_BENCH_TYPE: 'sftp',
        RCLONE_CONFIG_BENCH_HOST: '127.0.0.1',
        RCLONE_CONFIG_BENCH_PORT: String(port),
        RCLONE_CONFIG_BENCH_USER: user,
        RCLONE_CONFIG_BENCH_KEY_FILE: sshd.identity,
        RCLONE_CONFIG_BENCH_SHELL_TYPE: 'none',
        RCLONE_CONFIG_BENCH_DISABLE_HASHCHECK: 'true',
      },
    })
  const clear = async () => {
    await rm(join(home, 'put.bin'), { force: true })
    await rm(join(downloads, 'got.bin'), { force: true })
  }
  // Small files stay until the end: for some minutes after deleting many files, ext4 searches their inodes for each new
  // file, which would dominate the measurement.
  let folders = 0
  const newFolder = () => `put-small-${folders++}`

  return [
    both('put 512 MiB', 0.9, () => `put ${big} put.bin\n`, clear),
    both('get 512 MiB', 0.8, () => `get get.bin ${downloads}/got.bin\n`, clear),
    both('put 2,000 files of 4 KiB', 0.8, () => `put -r ${small} ${newFolder()}\n`),
    both('get 2,000 files of 4 KiB', 0.8, () => `get -r get-small ${downloads}/${newFolder()}\n`),
    both('list 10,000 files', 1.3, () => 'ls -f listed-by-sftp\n'),
    comparison('rclone, 8 at a time, 2,000 files', 0.7, {
      ours: () => rclone(installation.sftpPort, user, newFolder()),
      reference: () => rclone(sshd.port, 'root', `${home}/${newFolder()}`),
    }),
    overLatency(`put ${medium} put.bin\n`, clear),
  ]
}

async function overSlowLink(port: number, run: (port: number) => Promise<unknown>): Promise<void> {
  await using link = await slowLink(port, 50)
  await run(link.port)
}
