import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import { steam } from '../testing/outside.ts'
import { openWorkshop, type Workshop } from '../testing/workshop.ts'

const test = base.extend<{ shop: Workshop }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  shop: async ({}, use) => {
    await using shop = await openWorkshop()
    steam(shop)
    await use(shop)
  },
})

const game = (fields: object = {}) => [{ type: 'steamgamedl', appId: '740', ...fields }]
const asked = (shop: Workshop) => shop.said.filter((line) => line.startsWith('> asked:'))

describe('a steamgamedl step', () => {
  test('checks first and then downloads the game, with executable modes and the Steam libraries', async ({ shop }) => {
    await shop.run(game({ extraArgs: '-os windows' }))

    const login = 0x0a1b2c3d
    expect(asked(shop)).toEqual([
      `> asked: -app 740 -manifest-only -dir ${shop.folder}/.manifest -loginid ${login} -os windows`,
      `> asked: -app 740 -dir ${shop.folder} -loginid ${login} -validate -os windows`,
    ])
    expect(statSync(join(shop.folder, 'bin/srcds_run')).mode & 0o777).toBe(0o755)
    expect(readFileSync(join(shop.folder, '.steam/sdk64/steamclient.so'), 'utf8')).toBe('64')
    expect(readFileSync(join(shop.folder, '.steam/sdk32/steamclient.so'), 'utf8')).toBe('32')
    expect(readdirSync(shop.folder).toSorted()).toEqual(['.steam', 'bin'])
    expect(readdirSync(join(shop.folder, '.steam')).toSorted()).toEqual([
      ...['sdk32', 'sdk64', 'steamcmd_bins_linux.txt'],
    ])
  })

  test('downloads its tools once', async ({ shop }) => {
    await shop.run([...game(), ...game({ appId: 1007 })])

    const zips = shop.host.paths().filter((path) => path.includes('.zip'))
    expect(zips).toHaveLength(2)
  })

  test('passes the password without exposing or printing it', async ({ shop }) => {
    shop.values.set('password', "s3cret '$HOME")

    await shop.run(
      game({
        username: 'me',
        password: '${password}',
        branch: 'beta',
        branchPassword: 'hidden-branch',
        extraArgs: ['-x', '${password}'],
      }),
    )

    expect(asked(shop)[0]).toContain('-username me -remember-password -branch beta -branchpassword hidden-branch')
    expect(shop.said).toContain('> password has 13 characters, variable is gone')
    const ours = shop.said.filter((line) => !line.startsWith('> '))
    expect(ours.join('\n')).toContain('-username me -remember-password -branch beta -branchpassword ***')
    expect(ours.join('\n')).not.toContain('s3cret')
    expect(ours.join('\n')).not.toContain('hidden-branch')
  })

  test('reports when Steam did not provide the game', async ({ shop }) => {
    expect(await shop.failureOf(game({ appId: 404 }))).toContain(
      'DepotDownloader ended with exit code 3. If the game is not free, the step needs a username',
    )
    expect(existsSync(join(shop.folder, '.manifest'))).toBe(false)
    await expect(shop.run(game({ password: 'x' }))).rejects.toMatchObject({ code: 'ErrFactoryError' })
  })

  test('uses an installed DepotDownloader when GitHub does not respond', async ({ shop }) => {
    await shop.run(game())
    shop.host.answer('/repos/SteamRE/DepotDownloader/releases/latest', (_, response) =>
      response.writeHead(403).end('too many requests'),
    )

    await shop.run(game())

    expect(shop.said.join('\n')).toMatch(/403 Forbidden.*Using the installed depotdownloader-3\.4\.0/)
  })

  test('says what to do when GitHub does not respond and there is none', async ({ shop }) => {
    shop.host.answer('/repos/SteamRE/DepotDownloader/releases/latest', (_, response) => response.writeHead(404).end())

    expect(await shop.failureOf(game())).toContain('set a mirror of it in INNKEEPER_UPSTREAM_GITHUB')
  })

  test('runs nothing with a wrong checksum', async ({ shop }) => {
    steam(shop, () => 'b'.repeat(64))

    expect(await shop.failureOf(game())).toContain(
      'depotdownloader.zip does not match the checksum published by github.com',
    )
    expect(asked(shop)).toEqual([])
  })

  test('replaces outdated Steam libraries', async ({ shop }) => {
    await shop.run(game())
    writeFileSync(join(shop.folder, '.steam/sdk64/steamclient.so'), 'old')
    writeFileSync(join(shop.folder, '.steam/steamcmd_bins_linux.txt'), 'steamcmd_bins_linux.zip.00')

    await shop.run(game())

    expect(readFileSync(join(shop.folder, '.steam/sdk64/steamclient.so'), 'utf8')).toBe('64')
  })
})
