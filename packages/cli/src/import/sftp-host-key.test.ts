import { generateKeyPairSync } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { newHostKey } from '@innkeeper/daemon/sftp/ssh/host-key'
import { expect, test } from 'vitest'
import { ImportFixture } from '../testing/import-fixture.ts'
import { takeOverHostKey } from './sftp-host-key.ts'

const ed25519 = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString()

async function withKey(fixture: ImportFixture, text: string) {
  await fixture.write('puffer/sftp.key', text)
  const path = fixture.path('puffer/sftp.key')
  const take = (chosen?: string, dryRun = false) =>
    takeOverHostKey(path, { dataDir: fixture.path('data'), dryRun, chosen })
  return { path, take, ours: () => readFile(fixture.path('data/sftp-host-key'), 'utf8') }
}

test('a first import takes over the key, also in place of one that no client knows', async () => {
  await using fixture = await ImportFixture.create()
  const { take, ours } = await withKey(fixture, ed25519())
  const fresh = newHostKey()
  await fixture.write('data/sftp-host-key', fresh)

  const dry = await take(undefined, true)
  const untouched = await ours()
  const notes = await take()
  const again = await take()

  expect([untouched, dry, again]).toEqual([fresh, notes, []])
  expect(notes.join()).toContain('so clients do not warn')
  expect(await ours()).toContain('OPENSSH PRIVATE KEY')
  expect(await ours()).not.toBe(fresh)
  expect((await stat(fixture.path('data/sftp-host-key'))).mode & 0o777).toBe(0o600)
})

test('with servers here the key stays, unless another one is chosen', async () => {
  await using fixture = await ImportFixture.create()
  const { path, take, ours } = await withKey(fixture, ed25519())
  const known = newHostKey()
  await fixture.write('data/sftp-host-key', known)
  await fixture.write('data/servers/1a2b3c4d.json', '{}')

  const notes = await take()
  const kept = await ours()
  await take(path)

  expect(kept).toBe(known)
  expect(notes.join()).toContain(`--sftp-host-key ${path} replaces it`)
  expect(await ours()).not.toBe(known)
  expect(await readFile(fixture.path('data/sftp-host-key.old'), 'utf8')).toBe(known)
})

test('a key that cannot be used is named, and one that is chosen is refused', async () => {
  await using fixture = await ImportFixture.create()
  const { path, take } = await withKey(fixture, rsa)

  const notes = await take()

  expect(notes.join()).toMatch(/is of the type (ssh-)?rsa/)
  await expect(take(path)).rejects.toThrow('only Ed25519')
  await expect(take(fixture.path('none'))).rejects.toThrow('There is no file')
  expect(await takeOverHostKey(undefined, { dataDir: fixture.path('data'), dryRun: false, chosen: undefined })).toEqual(
    [],
  )
})
