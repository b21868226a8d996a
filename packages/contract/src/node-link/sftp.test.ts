import { expect, test } from 'vitest'
import { parseSftpUser, permissionOfSftpOperation } from './sftp.ts'

test('over SFTP reading needs no further permission, and every change requires the permission to write', () => {
  const operations = Object.entries(permissionOfSftpOperation)
  const withPermission = (permission: string) =>
    operations.filter(([, needed]) => needed === permission).map(([name]) => name)

  expect(withPermission('sftpServer')).toEqual(['open', 'read', 'list', 'stat', 'statFolder', 'resolve', 'readLink'])
  expect(operations).toHaveLength(withPermission('sftpServer').length + withPermission('putServerFiles').length)
})

test.for(['#', '|', '%7C'])('an SFTP user name has %s between the address and the server', (separator) => {
  const email = 'a#b@example.org'

  expect(parseSftpUser(`${email}${separator}0a1b2c3d`)).toEqual({ email, server: '0a1b2c3d' })
})
