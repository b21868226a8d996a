import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { test, theServer } from '../testing/sftp-host.ts'

test('files that the template keeps from users are listed over SFTP and nothing else', async ({ host, user }) => {
  host.deniedFiles = ['Pal.sh', '/cfg/secret.txt']
  await mkdir(host.inside('cfg'))
  await writeFile(host.inside('Pal.sh'), 'game')
  await writeFile(host.inside('cfg/secret.txt'), 'secret')
  await symlink('Pal.sh', host.inside('link'))
  await writeFile(host.own('mine'), 'mine')

  const { out } = await host.sftp(user, [
    'ls -l',
    `-get Pal.sh ${host.own('got')}`,
    `-get link ${host.own('got')}`,
    `-put ${host.own('mine')} pal.sh`,
    `-put ${host.own('mine')} cfg/secret.txt`,
    '-rename Pal.sh x',
    '-rename cfg x',
    '-rm cfg/secret.txt',
    '-chmod 777 Pal.sh',
    '-symlink x sub/Pal.sh',
  ])

  expect(out).toContain('Pal.sh')
  expect(out.match(/permission denied|does not allow access/gi)?.length ?? 0).toBeGreaterThanOrEqual(7)
  await expect(readFile(host.own('got'))).rejects.toThrow()
  expect(await readFile(host.inside('Pal.sh'), 'utf8')).toBe('game')
  expect(await readFile(host.inside('cfg/secret.txt'), 'utf8')).toBe('secret')
})

test('an administrator may use them over SFTP', async ({ host }) => {
  host.deniedFiles = ['Pal.sh']
  await writeFile(host.inside('Pal.sh'), 'game')
  const { email } = host.panel.addUser({ permissions: { [theServer]: ['sftpServer', 'admin'] } })

  const { out } = await host.sftp(`${email}#${theServer}`, ['rename Pal.sh other', 'rename other Pal.sh'])

  expect(out).not.toMatch(/denied|allow/i)
  await rename(host.inside('Pal.sh'), host.inside('still-there'))
})
