import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import type { ZipPart } from '../../testing/archive-bytes.ts'
import { curseforge, maven } from '../../testing/outside.ts'
import { openWorkshop, type StepFixture } from '../../testing/step-fixture.ts'
import type { StepContext } from '../context/step-context.ts'

const test = base.extend<{ fixture: StepFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  fixture: async ({}, use) => {
    await using fixture = await openWorkshop()
    await use(fixture)
  },
})

const read = (fixture: StepFixture, name: string) => readFileSync(join(fixture.folder, name), 'utf8')
const pack = (fields: object = {}) => [{ type: 'curseforge', projectId: '925200', ...fields }]

/** A fake Java that installs what the test says. */
function java(fixture: StepFixture, leaves: string): Partial<StepContext> {
  return {
    runCommand: async (argv) => {
      fixture.messages.push(`ran ${argv.join(' ')}`)
      if (leaves !== '') writeFileSync(join(fixture.folder, leaves), 'installed')
      return { code: 0, signal: null }
    },
  }
}

const mods: ZipPart = { name: 'Pack 1.0/mods/a.jar', data: 'a mod' }

describe('a curseforge step', () => {
  test('extracts the newest server release, and runs its installer', async ({ fixture }) => {
    curseforge(fixture, [mods, { name: 'Pack 1.0/forge-1.20.1-47.2.0-installer.jar', data: 'installer' }])

    await fixture.run(pack({ java: 'java17' }), java(fixture, 'forge-1.20.1-47.2.0-shim.jar'))

    expect(read(fixture, 'mods/a.jar')).toBe('a mod')
    expect(read(fixture, 'server.jar')).toBe('installed')
    expect(fixture.messages).toContain('ran java17 -jar forge-1.20.1-47.2.0-installer.jar --installServer')
    expect(readdirSync(fixture.folder).toSorted()).toEqual(['mods', 'server.jar'])
    expect(fixture.host.paths()).toEqual(['/v1/mods/925200', '/v1/mods/925200/files/77', '/files/77.zip'])
    expect(fixture.host.requests[0]?.headers['x-api-key']).toBe('key-of-the-node')
    expect(fixture.host.requests[2]?.headers['x-api-key']).toBeUndefined()
  })

  test('installs Forge according to variables.txt, and keeps existing files', async ({ fixture }) => {
    const variables = 'MINECRAFT_VERSION=1.20.1\nMODLOADER=Forge\r\nMODLOADER_VERSION="47.2.0"\n'
    curseforge(fixture, [mods, { name: 'Pack 1.0/variables.txt', data: variables }])
    maven(fixture, '/net/minecraftforge/forge/1.20.1-47.2.0/forge-1.20.1-47.2.0-installer.jar')
    writeFileSync(join(fixture.folder, 'server.properties'), 'mine')

    await fixture.run(pack({ fileId: 50 }), java(fixture, ''))

    expect(fixture.messages).toContain('The mods run on forge 47.2.0 for Minecraft 1.20.1')
    expect(fixture.messages).toContain('ran java -jar forge-1.20.1-47.2.0-installer.jar --installServer')
    expect(readdirSync(fixture.folder).toSorted()).toEqual(['mods', 'server.properties', 'variables.txt'])
  })

  test('parses variables.txt with long lines of spaces quickly', async ({ fixture }) => {
    const variables = `NOTE=${' '.repeat(1_000_000)}"a" b\nMODLOADER = "Quilt"\nMINECRAFT_VERSION=1.20\nMODLOADER_VERSION=1`
    curseforge(fixture, [mods, { name: 'variables.txt', data: variables }])

    await fixture.run(pack())

    expect(fixture.messages.at(-1)).toContain('quilt cannot be installed by this step')
  })

  test('installs Fabric according to a client manifest', async ({ fixture }) => {
    const manifest = { minecraft: { version: '1.21', modLoaders: [{ id: 'fabric-0.16.9', primary: true }] } }
    curseforge(fixture, [mods, { name: 'Pack 1.0/manifest.json', data: JSON.stringify(manifest) }])
    fixture.host.give('/v2/versions/installer', [{ url: 'x', version: '1.0.1' }])
    fixture.host.give('/v2/versions/loader/1.21/0.16.9/1.0.1/server/jar', 'fabric')

    await fixture.run(pack(), java(fixture, ''))

    expect(read(fixture, 'server.jar')).toBe('fabric')
  })

  test('installs NeoForge with the jar that starts it', async ({ fixture }) => {
    const variables = 'MINECRAFT_VERSION=1.21.1\nMODLOADER=NeoForge\nMODLOADER_VERSION=21.1.90\n'
    curseforge(fixture, [
      { name: 'variables.txt', data: variables },
      { name: 'mods/a.jar', data: 'a mod' },
    ])
    maven(fixture, '/releases/net/neoforged/neoforge/21.1.90/neoforge-21.1.90-installer.jar')
    fixture.host.give('/neoforged/ServerStarterJar/releases/latest/download/server.jar', 'starter')

    await fixture.run(pack(), java(fixture, ''))

    expect(read(fixture, 'server.jar')).toBe('starter')
    expect(read(fixture, 'mods/a.jar')).toBe('a mod')
  })

  test.for([
    ['MODLOADER=Quilt\nMINECRAFT_VERSION=1.20\nMODLOADER_VERSION=1', 'quilt cannot be installed by this step'],
    ['', 'The mod loader of this pack is unknown'],
  ] as const)('prints when the mod loader is unknown', async ([variables, why], { fixture }) => {
    curseforge(fixture, [mods, { name: 'Pack 1.0/variables.txt', data: variables }])

    await fixture.run(pack())

    expect(fixture.messages.at(-1)).toContain(why)
  })

  test('needs an API key, and says where to get one', async ({ fixture }) => {
    expect(await fixture.getFailure(pack(), { curseforgeKey: undefined })).toContain(
      'set it as INNKEEPER_CURSEFORGE_KEY',
    )
    expect(fixture.host.requests).toEqual([])
  })

  test('shows what does not exist', async ({ fixture }) => {
    curseforge(fixture, [mods])

    expect(await fixture.getFailure(pack({ projectId: 1 }))).toContain('api.curseforge.com has no project 1')
    expect(await fixture.getFailure(pack({ fileId: '9' }))).toContain('has no file 9 of project 925200')
    expect(await fixture.getFailure(pack({ fileId: '41' }))).toContain('except from the CurseForge site')
    await expect(fixture.run(pack({ projectId: '../x' }))).rejects.toMatchObject({ code: 'ErrFactoryError' })
  })

  test('leaves nothing when the installer fails, and works the next time', async ({ fixture }) => {
    curseforge(fixture, [mods, { name: 'Pack 1.0/forge-1.20.1-47.2.0-installer.jar', data: 'installer' }])

    const why = await fixture.getFailure(pack(), { runCommand: async () => ({ code: 1, signal: null }) })
    await fixture.run(pack(), java(fixture, ''))

    expect(why).toContain('the installer forge-1.20.1-47.2.0-installer.jar ended with exit code 1')
    expect(readdirSync(fixture.folder)).toEqual(['mods'])
  })
})
