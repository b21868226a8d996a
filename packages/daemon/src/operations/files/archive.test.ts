import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import { tarBytes } from '../../testing/archive-bytes.ts'
import { openWorkshop, type StepFixture } from '../../testing/step-fixture.ts'

const test = base.extend<{ fixture: StepFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  fixture: async ({}, use) => {
    await using fixture = await openWorkshop()
    mkdirSync(join(fixture.folder, 'world'))
    writeFileSync(join(fixture.folder, 'world/level.dat'), 'a world')
    writeFileSync(join(fixture.folder, 'server.cfg'), 'port=1')
    await use(fixture)
  },
})

const read = (fixture: StepFixture, name: string) => readFileSync(join(fixture.folder, name), 'utf8')

describe('an archive step', () => {
  test('packs its sources, and an extract step extracts them again', async ({ fixture }) => {
    fixture.values.set('name', 'backup')

    await fixture.run([
      { type: 'archive', source: ['world', 'server.cfg'], destination: '${name}.tar.gz' },
      { type: 'mkdir', target: 'copy' },
      { type: 'extract', source: '${name}.tar.gz', destination: 'copy' },
    ])

    expect(read(fixture, 'copy/world/level.dat')).toBe('a world')
    expect(read(fixture, 'copy/server.cfg')).toBe('port=1')
    expect(fixture.messages).toEqual([
      'Packing: /world, /server.cfg into /backup.tar.gz',
      'Packed 3 entries, 13 bytes',
      'Creating folder: /copy',
      'Extracting: /backup.tar.gz into /copy',
      'Extracted 3 entries, 13 bytes',
    ])
  })

  test('accepts one path as text, with spaces', async ({ fixture }) => {
    writeFileSync(join(fixture.folder, 'my file'), 'mine')

    await fixture.run([{ type: 'archive', source: 'my file', destination: 'a.zip' }])

    expect(fixture.messages.at(-1)).toBe('Packed 1 entry, 4 bytes')
  })

  test('does not overwrite an archive, and leaves no partial one', async ({ fixture }) => {
    writeFileSync(join(fixture.folder, 'a.zip'), 'mine')

    const taken = await fixture.getFailure([{ type: 'archive', source: ['world'], destination: 'a.zip' }])
    const missing = await fixture.getFailure([{ type: 'archive', source: ['nothing'], destination: 'b.zip' }])

    expect(taken).toBe('Step 1 of 1 (archive) failed: A file or folder with this name already exists: /a.zip')
    expect(missing).toBe('Step 1 of 1 (archive) failed: File not found: /nothing')
    expect(read(fixture, 'a.zip')).toBe('mine')
    expect(existsSync(join(fixture.folder, 'b.zip'))).toBe(false)
  })

  test('prints what it skipped', async ({ fixture }) => {
    symlinkSync('/etc/passwd', join(fixture.folder, 'world/link'))

    await fixture.run([{ type: 'archive', source: ['world'], destination: 'a.zip' }])

    expect(fixture.messages.at(-1)).toBe('Packed 2 entries, 7 bytes; skipped: world/link')
  })

  test('is validated before anything runs', async ({ fixture }) => {
    const wrong: [fields: Record<string, unknown>, why: RegExp][] = [
      [{ source: ['../../etc'], destination: 'a.zip' }, /outside the server folder/],
      [{ source: ['world'], destination: '../a.zip' }, /outside the server folder/],
      [{ source: ['world'], destination: 'a.txt' }, /archive format is not supported/],
      [{ source: ['world'] }, /destination is required/],
      [{ source: [], destination: 'a.zip' }, /source cannot be smaller/],
    ]

    for (const [fields, why] of wrong) {
      expect(await fixture.getFailure([{ type: 'archive', ...fields }])).toMatch(why)
    }
    expect(await fixture.getFailure([{ type: 'extract', source: 'server.cfg' }])).toMatch(
      /archive format is not supported/,
    )
    expect(fixture.messages).toEqual([])
  })
})

describe('an extract step', () => {
  test("extracts into the server's directory, and replaces existing files", async ({ fixture }) => {
    writeFileSync(join(fixture.folder, 'a.tar'), tarBytes([{ name: 'server.cfg', data: 'port=2' }]))

    await fixture.run([{ type: 'extract', source: 'a.tar', destination: '.' }])

    expect(read(fixture, 'server.cfg')).toBe('port=2')
  })

  test('prints what it skipped, and never leaves the directory', async ({ fixture }) => {
    const parts = [
      { name: '../evil', data: 'evil' },
      { name: 'link', type: '2', target: '..' },
      { name: 'good', data: 'good' },
    ]
    writeFileSync(join(fixture.folder, 'a.tar'), tarBytes(parts))

    await fixture.run([{ type: 'extract', source: 'a.tar' }])

    expect(fixture.messages.at(-1)).toBe('Extracted 1 entry, 4 bytes; skipped: ../evil, link')
    expect(existsSync(join(fixture.folder, '../evil'))).toBe(false)
  })

  test('creates its destination with parents', async ({ fixture }) => {
    writeFileSync(join(fixture.folder, 'a.tar'), tarBytes([{ name: 'server.cfg', data: 'port=2' }]))

    await fixture.run([{ type: 'extract', source: 'a.tar', destination: './new/deeper/' }])

    expect(read(fixture, 'new/deeper/server.cfg')).toBe('port=2')
  })

  test('fails with a reason when the archive is damaged or missing, or a file is in place of the directory', async ({
    fixture,
  }) => {
    writeFileSync(join(fixture.folder, 'a.zip'), 'no zip')

    const damaged = await fixture.getFailure([{ type: 'extract', source: 'a.zip' }])
    const missing = await fixture.getFailure([{ type: 'extract', source: 'b.zip' }])
    const taken = await fixture.getFailure([{ type: 'extract', source: 'a.zip', destination: 'server.cfg' }])

    expect(damaged).toMatch(/^Step 1 of 1 \(extract\) failed: The archive is damaged or encrypted: /)
    expect(missing).toBe('Step 1 of 1 (extract) failed: File not found: /b.zip')
    expect(taken).toBe('Step 1 of 1 (extract) failed: A file or folder with this name already exists: /server.cfg')
  })
})
