import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sftpUserOf } from '@innkeeper/contract/sftp'
import { addSshKey } from '@innkeeper/contract/ssh-keys'
import type { Contest } from './compare.ts'
import { makeFiles, makeNoise } from './data.ts'
import type { Product } from './product.ts'
import { run } from './programs.ts'
import { slowLink } from './slow-link.ts'

/** OpenSSH's own client with the same cipher against our SFTP server and against OpenSSH's. */
export async function sftpContests(
  product: Product,
  sshd: { readonly port: number; readonly identity: string },
  dir: string,
): Promise<Contest[]> {
  const big = join(dir, 'sftp-big.bin')
  const middling = join(dir, 'sftp-middling.bin')
  const small = join(dir, 'small')
  // One folder for both: ext4 may take longer for new files in one folder than in another.
  const home = product.folder
  const back = join(dir, 'fetched')
  await makeNoise(big, 512)
  await makeNoise(middling, 64)
  await makeFiles(small, 2_000, 4_096)
  await run('cp', [big, join(home, 'get.bin')])
  await run('cp', ['-r', small, join(home, 'get-small')])
  await makeFiles(join(home, 'listed-by-sftp'), 10_000, 10)
  await mkdir(back, { recursive: true })
  const key = await readFile(`${sshd.identity}.pub`, 'utf8')
  await product.ask(addSshKey, { body: { key, password: product.password } })

  const { pid } = product
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
  const us = sftpUserOf(product.email, product.server)
  const contest = (name: string, speed: number, turns: Pick<Contest, 'ours' | 'reference' | 'after'>): Contest => ({
    name: `sftp: ${name}`,
    goal: { speed },
    against: 'OpenSSH',
    ...turns,
    pid,
  })
  const both = (name: string, speed: number, commands: () => string, after?: () => Promise<unknown>): Contest =>
    contest(name, speed, {
      ours: () => sftp(product.sftpPort, us, commands()),
      reference: () => sftp(sshd.port, 'root', `cd ${home}\n${commands()}`),
      ...(after && { after }),
    })
  const farAway = (commands: string, after: () => Promise<unknown>): Contest =>
    contest('put 64 MiB over a link of 50 ms', 0.95, {
      ours: () => overSlowLink(product.sftpPort, (port) => sftp(port, us, commands)),
      reference: () => overSlowLink(sshd.port, (port) => sftp(port, 'root', `cd ${home}\n${commands}`)),
      after,
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
    await rm(join(back, 'got.bin'), { force: true })
  }
  // Small files stay to the end: after many were removed ext4 looks at each of their inodes before it gives one anew, for
  // some minutes, which would be most of what is measured.
  let folders = 0
  const ownFolder = () => `put-small-${folders++}`

  return [
    both('put 512 MiB', 1, () => `put ${big} put.bin\n`, clear),
    both('get 512 MiB', 0.9, () => `get get.bin ${back}/got.bin\n`, clear),
    both('put 2,000 files of 4 KiB', 0.95, () => `put -r ${small} ${ownFolder()}\n`),
    both('get 2,000 files of 4 KiB', 0.95, () => `get -r get-small ${back}/${ownFolder()}\n`),
    both('list 10,000 files', 1.5, () => 'ls -f listed-by-sftp\n'),
    contest('rclone, 8 at a time, 2,000 files', 0.8, {
      ours: () => rclone(product.sftpPort, us, ownFolder()),
      reference: () => rclone(sshd.port, 'root', `${home}/${ownFolder()}`),
    }),
    farAway(`put ${middling} put.bin\n`, clear),
  ]
}

async function overSlowLink(port: number, act: (port: number) => Promise<unknown>): Promise<void> {
  await using link = await slowLink(port, 50)
  await act(link.port)
}
