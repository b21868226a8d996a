import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import { steam } from '../../testing/outside.ts'
import { openWorkshop, type StepFixture } from '../../testing/step-fixture.ts'

const test = base.extend<{ fixture: StepFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  fixture: async ({}, use) => {
    await using fixture = await openWorkshop()
    steam(fixture)
    await use(fixture)
  },
})

const game = (fields: object = {}) => [{ type: 'steamgamedl', appId: '740', ...fields }]
const asked = (fixture: StepFixture) => fixture.messages.filter((line) => line.startsWith('> asked:'))

describe('a steamgamedl step', () => {
  test('checks first and then downloads the game, with executable modes and the Steam libraries', async ({
    fixture,
  }) => {
    await fixture.run(game({ extraArgs: '-os windows' }))

    const login = 0x0a1b2c3d
    expect(asked(fixture)).toEqual([
      `> asked: -app 740 -manifest-only -dir ${fixture.folder}/.manifest -loginid ${login} -os windows`,
      `> asked: -app 740 -dir ${fixture.folder} -loginid ${login} -validate -os windows`,
    ])
    expect(statSync(join(fixture.folder, 'bin/srcds_run')).mode & 0o777).toBe(0o755)
    expect(readFileSync(join(fixture.folder, '.steam/sdk64/steamclient.so'), 'utf8')).toBe('64')
    expect(readFileSync(join(fixture.folder, '.steam/sdk32/steamclient.so'), 'utf8')).toBe('32')
    expect(readdirSync(fixture.folder).toSorted()).toEqual(['.steam', 'bin'])
    expect(readdirSync(join(fixture.folder, '.steam')).toSorted()).toEqual([
      ...['sdk32', 'sdk64', 'steamcmd_bins_linux.txt'],
    ])
  })

  test('downloads its tools once', async ({ fixture }) => {
    await fixture.run([...game(), ...game({ appId: 1007 })])

    const zips = fixture.host.paths().filter((path) => path.includes('.zip'))
    expect(zips).toHaveLength(2)
  })

  test('passes the password without exposing or printing it', async ({ fixture }) => {
    fixture.values.set('password', "s3cret '$HOME")

    await fixture.run(
      game({
        username: 'me',
        password: '${password}',
        branch: 'beta',
        branchPassword: 'hidden-branch',
        extraArgs: ['-x', '${password}'],
      }),
    )

    expect(asked(fixture)[0]).toContain('-username me -remember-password -branch beta -branchpassword hidden-branch')
    expect(fixture.messages).toContain('> password has 13 characters, variable is gone')
    const ours = fixture.messages.filter((line) => !line.startsWith('> '))
    expect(ours.join('\n')).toContain('-username me -remember-password -branch beta -branchpassword ***')
    expect(ours.join('\n')).not.toContain('s3cret')
    expect(ours.join('\n')).not.toContain('hidden-branch')
  })

  test('reports when Steam did not provide the game', async ({ fixture }) => {
    expect(await fixture.getFailure(game({ appId: 404 }))).toContain(
      'DepotDownloader ended with exit code 3. If the game is not free, the step needs a username',
    )
    expect(existsSync(join(fixture.folder, '.manifest'))).toBe(false)
    await expect(fixture.run(game({ password: 'x' }))).rejects.toMatchObject({ code: 'ErrFactoryError' })
  })

  test('uses an installed DepotDownloader when GitHub does not respond', async ({ fixture }) => {
    await fixture.run(game())
    fixture.host.answer('/repos/SteamRE/DepotDownloader/releases/latest', (_, response) =>
      response.writeHead(403).end('too many requests'),
    )

    await fixture.run(game())

    expect(fixture.messages.join('\n')).toMatch(/403 Forbidden.*Using the installed depotdownloader-3\.4\.0/)
  })

  test('shows what to do when GitHub does not respond and there is none', async ({ fixture }) => {
    fixture.host.answer('/repos/SteamRE/DepotDownloader/releases/latest', (_, response) =>
      response.writeHead(404).end(),
    )

    expect(await fixture.getFailure(game())).toContain('set a mirror of it in INNKEEPER_UPSTREAM_GITHUB')
  })

  test('runs nothing with a wrong checksum', async ({ fixture }) => {
    steam(fixture, () => 'b'.repeat(64))

    expect(await fixture.getFailure(game())).toContain(
      'depotdownloader.zip does not match the checksum published by github.com',
    )
    expect(asked(fixture)).toEqual([])
  })

  test('replaces outdated Steam libraries', async ({ fixture }) => {
    await fixture.run(game())
    writeFileSync(join(fixture.folder, '.steam/sdk64/steamclient.so'), 'old')
    writeFileSync(join(fixture.folder, '.steam/steamcmd_bins_linux.txt'), 'steamcmd_bins_linux.zip.00')

    await fixture.run(game())

    expect(readFileSync(join(fixture.folder, '.steam/sdk64/steamclient.so'), 'utf8')).toBe('64')
  })
})
