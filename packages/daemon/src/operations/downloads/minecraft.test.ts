import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import { createFetcher, type Fetcher } from '../../network/fetch.ts'
import { getDigest, maven, mojang } from '../../testing/outside.ts'
import { openWorkshop, type StepFixture } from '../../testing/step-fixture.ts'

const test = base.extend<{ fixture: StepFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  fixture: async ({}, use) => {
    await using fixture = await openWorkshop()
    await use(fixture)
  },
})

const read = (fixture: StepFixture, name: string) => readFileSync(join(fixture.folder, name), 'utf8')

describe('a mojangdl step', () => {
  test.for([
    [{ version: 'release' }, 'Minecraft 1.21.1'],
    [{ version: 'latest' }, 'Minecraft 1.21.1'],
    [{}, 'Minecraft 1.21.1'],
    [{ version: 'snapshot' }, 'Minecraft 24w33a'],
    [{ version: ' 1.21.1 ' }, 'Minecraft 1.21.1'],
  ] as const)('downloads %j', async ([fields, messages], { fixture }) => {
    mojang(fixture)

    await fixture.run([{ type: 'mojangdl', target: 'server.jar', ...fields }])

    expect(read(fixture, 'server.jar')).toBe('a server')
    expect(fixture.messages).toContain(messages)
  })

  test('uses the cached server without a request', async ({ fixture }) => {
    mojang(fixture)

    await fixture.run([{ type: 'mojangdl' }, { type: 'mojangdl', target: 'bin/other.jar' }])

    expect(read(fixture, 'bin/other.jar')).toBe('a server')
    expect(fixture.host.paths().filter((path) => path.endsWith('server.jar'))).toHaveLength(1)
    expect(readdirSync(join(fixture.node, 'cache'))).toEqual(['piston-data.mojang.com'])
  })

  test.for([
    [{ version: '9.9' }, 'launchermeta.mojang.com has no version 9.9 of Minecraft. Check the version'],
    [{ version: 'rd-132211' }, 'piston-meta.mojang.com has no server of Minecraft rd-132211'],
  ] as const)('says what does not exist: %j', async ([fields, why], { fixture }) => {
    mojang(fixture)

    expect(await fixture.getFailure([{ type: 'mojangdl', ...fields }])).toContain(why)
  })

  test('rejects a server with a wrong checksum', async ({ fixture }) => {
    mojang(fixture, 'something else')

    expect(await fixture.getFailure([{ type: 'mojangdl' }])).toContain(
      'server.jar does not match the checksum published by piston-data.mojang.com: its sha1 is',
    )
    expect(readdirSync(fixture.folder)).toEqual([])
  })

  test.for(['gone', 'an error', 'no JSON', 'another shape', 'cut off'])(
    'names the host and what to do when it responds with %s',
    async (what, { fixture }) => {
      mojang(fixture)
      fixture.host.answer('/mc/game/version_manifest.json', (_, response) => {
        if (what === 'gone') response.writeHead(404).end()
        else if (what === 'an error') response.writeHead(503).end()
        else if (what === 'no JSON') response.end('<html>')
        else if (what === 'another shape') response.end('{"versions":{}}')
        else response.writeHead(200, { 'content-length': 100 }).write('{"latest":', () => response.destroy())
      })

      const why = await fixture.getFailure([{ type: 'mojangdl' }])

      expect(why).toMatch(/launchermeta\.mojang\.com|127\.0\.0\.1/)
      expect(why).toContain('or set a mirror of it in INNKEEPER_UPSTREAM_MOJANG')
    },
  )

  test('reports a host that stops sending, and what to do', async ({ fixture }) => {
    mojang(fixture)
    fixture.host.answer('/v1/objects/5/server.jar', (_, response) =>
      response.writeHead(200, { 'content-length': 8 }).write('a se'),
    )
    const mirrors = { mojang: fixture.host.url('/').href }
    const patient = createFetcher({ allow: [], mirrors, version: '0', retryMs: 20 })
    const hasty = createFetcher({ allow: [], mirrors, version: '0', idleMs: 50 })
    const choose: Fetcher = (url, options) => (url.pathname.endsWith('.jar') ? hasty : patient)(url, options)
    const fetch = Object.assign(choose, { retryMs: 20 })

    const why = await fixture.getFailure([{ type: 'mojangdl' }], { fetch })

    expect(why).toMatch(
      /failed 3 times. Last error: 127\.0\.0\.1 (stopped sending|did not respond).*INNKEEPER_UPSTREAM_MOJANG/,
    )
    expect(readdirSync(fixture.folder)).toEqual([])
  })

  test('reports an unreachable host, and what to do', async ({ fixture }) => {
    const mirrors = { mojang: 'http://127.0.0.1:1' }
    const fetch = createFetcher({ allow: [], mirrors, version: '0', retryMs: 20 })

    expect(await fixture.getFailure([{ type: 'mojangdl' }], { fetch })).toMatch(
      /127\.0\.0\.1 refused the connection\. Check that this node can reach launchermeta\.mojang\.com, or set a mirror/,
    )
  })

  test('can be aborted and repeated', async ({ fixture }) => {
    mojang(fixture)
    const aborting = new AbortController()
    const enough = new Error('enough')
    fixture.host.answer('/v1/objects/5/server.jar', (_, response) => {
      response.writeHead(200, { 'content-length': 8 }).write('a ser', () => aborting.abort(enough))
    })

    await expect(fixture.run([{ type: 'mojangdl' }], { signal: aborting.signal })).rejects.toBe(enough)
    expect(readdirSync(fixture.folder)).toEqual([])
    mojang(fixture)
    await fixture.run([{ type: 'mojangdl' }])
    expect(read(fixture, 'server.jar')).toBe('a server')
  })
})

describe('a forgedl step', () => {
  const installer = '/net/minecraftforge/forge/1.20.1-47.2.0/forge-1.20.1-47.2.0-installer.jar'

  test.for([
    [{ version: '1.20.1-47.2.0', target: 'x.jar' }, 'x.jar'],
    [{ version: '1.20.1-47.2.0', filename: 'y.jar' }, 'y.jar'],
    [{ version: '47.2.0', minecraftVersion: '1.20.1' }, 'forge-installer.jar'],
    [{ minecraftVersion: '1.20.1' }, 'forge-installer.jar'],
  ] as const)('downloads the installer of %j', async ([fields, file], { fixture }) => {
    maven(fixture, installer)
    fixture.host.give('/net/minecraftforge/forge/promotions_slim.json', { promos: { '1.20.1-latest': '47.2.0' } })

    await fixture.run([
      { type: 'forgedl', outputVariable: 'built', ...fields },
      { type: 'writefile', target: 'seen', text: '${built}', if: "built == '1.20.1-47.2.0'" },
    ])

    expect(read(fixture, file)).toBe(installer)
    expect(read(fixture, 'seen')).toBe('1.20.1-47.2.0')
  })

  test('needs one version or the other, which must exist', async ({ fixture }) => {
    fixture.host.give('/net/minecraftforge/forge/promotions_slim.json', { promos: {} })

    await expect(fixture.run([{ type: 'forgedl' }])).rejects.toMatchObject({ code: 'ErrFactoryError' })
    expect(await fixture.getFailure([{ type: 'forgedl', minecraftVersion: '1.0' }])).toContain(
      'files.minecraftforge.net has no Forge for Minecraft 1.0',
    )
    expect(await fixture.getFailure([{ type: 'forgedl', version: '1.0-1' }])).toContain('404 Not Found')
  })

  test('works without a checksum where none is published', async ({ fixture }) => {
    fixture.host.give(installer, 'an installer')

    await fixture.run([{ type: 'forgedl', version: '1.20.1-47.2.0' }])

    expect(read(fixture, 'forge-installer.jar')).toBe('an installer')
    expect(fixture.messages).toContain(
      'maven.minecraftforge.net publishes no checksum for forge-1.20.1-47.2.0-installer.jar',
    )
  })
})

test.for([
  [{ version: '21.1.90' }, '21.1.90'],
  [{ minecraftVersion: '1.21.1' }, '21.1.113'],
  [{ minecraftVersion: '1.21' }, '21.0.10-alpha'],
] as const)('a neoforgedl step downloads the installer of %j', async ([fields, version], { fixture }) => {
  const versions = ['21.1.9', '21.1.113', '21.1.200-beta', '21.0.9-beta', '21.0.10-alpha', '20.4.1']
  const root = '/releases/net/neoforged/neoforge'
  const xml = `<?xml version="1.0"?><metadata><groupId>net.neoforged</groupId><versioning><latest>x</latest><versions>
    ${versions.map((one) => `<version>${one}</version>`).join('\n')}</versions></versioning></metadata>`
  fixture.host.give(`${root}/maven-metadata.xml`, xml)
  maven(fixture, `${root}/${version}/neoforge-${version}-installer.jar`, 'sha256')

  await fixture.run([{ type: 'neoforgedl', ...fields }])

  expect(read(fixture, 'neoforge-installer.jar')).toContain(version)
  expect(fixture.values.get('opNeoForgeVersion')).toBe(version)
})

describe('a resolveforgeversion step', () => {
  const install = (fixture: StepFixture, ...versions: string[]) => {
    for (const version of versions) {
      mkdirSync(join(fixture.folder, 'libraries', version), { recursive: true })
      writeFileSync(join(fixture.folder, 'libraries', version, 'unix_args.txt'), '')
    }
  }

  test('finds the newest installed version', async ({ fixture }) => {
    const forge = 'net/minecraftforge/forge'
    install(fixture, `${forge}/1.20.1-47.2.0`, `${forge}/1.20.1-47.10.0`, `${forge}/1.21-51.0.1`)
    install(fixture, 'net/neoforged/neoforge/21.1.9', 'net/neoforged/neoforge/21.1.100')

    await fixture.run([
      { type: 'resolveforgeversion', minecraftVersion: '1.20.1', outputVariable: 'resolvedForgeVersion' },
      { type: 'resolveneoforgeversion', minecraftVersion: '1.21.1' },
      { type: 'resolveforgeversion' },
    ])

    expect(Object.fromEntries(fixture.values)).toMatchObject({
      resolvedForgeVersion: '1.20.1-47.10.0',
      opNeoForgeVersion: '21.1.100',
      opForgeVersion: '1.21-51.0.1',
    })
  })

  test('says that none is installed', async ({ fixture }) => {
    expect(await fixture.getFailure([{ type: 'resolveforgeversion', minecraftVersion: '1.20' }])).toContain(
      'no Forge 1.20-* is installed in libraries/net/minecraftforge/forge: run Install first',
    )
  })
})

test.for([
  [{}, 'fabric-installer.jar'],
  [{ targetFile: 'a.jar' }, 'a.jar'],
  [{ target: 'b.jar' }, 'b.jar'],
] as const)('a fabricdl step with %j downloads the newest installer', async ([fields, file], { fixture }) => {
  const jar = '/net/fabricmc/fabric-installer/1.0.1/fabric-installer-1.0.1.jar'
  fixture.host.give('/v2/versions/installer', [
    { url: `https://maven.fabricmc.net${jar}`, maven: 'x', version: '1.0.1', stable: true },
    { url: 'https://maven.fabricmc.net/old.jar', version: '1.0.0', stable: true },
  ])
  maven(fixture, jar, 'sha256')

  await fixture.run([{ type: 'fabricdl', ...fields }])

  expect(read(fixture, file)).toBe(jar)
})

test.for(['recommended', 'latest'])(
  'a spongeforgedl step downloads the %s mod and its Forge',
  async (kind, { fixture }) => {
    const forge = '/net/minecraftforge/forge/1.12.2-14.23.5.2838/forge-1.12.2-14.23.5.2838-installer.jar'
    const release = {
      dependencies: { forge: '14.23.5.2838', minecraft: '1.12.2' },
      artifacts: { '': { url: 'https://repo.spongepowered.org/mod.jar', sha1: getDigest('sha1', 'a mod') } },
    }
    const base = '/v1/org.spongepowered/spongeforge/downloads'
    fixture.host.give(kind === 'latest' ? base : `${base}/recommended`, kind === 'latest' ? [release] : release)
    fixture.host.give('/mod.jar', 'a mod')
    maven(fixture, forge)

    await fixture.run([{ type: 'spongeforgedl', releaseType: kind }])

    expect(read(fixture, 'forge-installer.jar')).toBe(forge)
    expect(read(fixture, 'mods/_aaspongeforge.jar')).toBe('a mod')
    expect(fixture.host.paths()[0]).toBe(kind === 'latest' ? `${base}?type=stable&limit=1` : `${base}/recommended`)
  },
)

test.for([
  ['spongevanilla', '', 'server.jar'],
  ['spongeforge', 'universal', 'mods/_aspongeforge.jar'],
] as const)('a spongedl step downloads %s', async ([spongeType, classifier, file], { fixture }) => {
  const base = `/v2/groups/org.spongepowered/artifacts/${spongeType}/versions`
  const asset = (of: string, extension = 'jar') => ({
    classifier: of,
    extension,
    downloadUrl: `https://repo.spongepowered.org/${of || 'plain'}.${extension}`,
    md5: '',
    sha1: getDigest('sha1', of),
  })
  fixture.host.give(base, { artifacts: { '1.16.5-8.2.0': { tagValues: {} } }, offset: 0, limit: 1 })
  fixture.host.give(`${base}/1.16.5-8.2.0`, { assets: [asset('sources'), asset(classifier), asset(classifier, 'pom')] })
  fixture.host.give(`/${classifier || 'plain'}.jar`, classifier)

  await fixture.run([{ type: 'spongedl', spongeType, minecraftVersion: '1.16.5' }])

  expect(read(fixture, file)).toBe(classifier)
  expect(fixture.host.paths()[0]).toBe(`${base}?recommended=true&tags=minecraft%3A1.16.5&limit=1`)
})

describe('a paperdl step', () => {
  const answers = (fixture: StepFixture) => {
    const url = 'https://fill-data.papermc.io/v1/objects/9/paper.jar'
    const checksums = { sha256: getDigest('sha256', 'paper') }
    const version = (id: string, ...builds: number[]) => ({ version: { id }, builds })
    fixture.host.give('/v3/projects/paper/versions', {
      versions: [version('1.22', ...[]), version('1.21.5-rc1', 3), version('1.21.4', 231, 230)],
    })
    const build = { id: 231, downloads: { 'server:default': { name: 'paper.jar', checksums, size: 5, url } } }
    fixture.host.give('/v3/projects/paper/versions/1.21.4/builds/latest', build)
    fixture.host.give('/v3/projects/paper/versions/1.20/builds/7', build)
    fixture.host.give('/v1/objects/9/paper.jar', 'paper')
  }

  test.for([
    [{}, 'server.jar'],
    [{ minecraftVersion: '1.20', build: 7, target: 'x/paper.jar' }, 'x/paper.jar'],
  ] as const)('downloads %j', async ([fields, file], { fixture }) => {
    answers(fixture)

    await fixture.run([{ type: 'paperdl', ...fields }])

    expect(read(fixture, file)).toBe('paper')
    expect(fixture.host.requests[0]?.headers['user-agent']).toMatch(/^Innkeeper\//)
  })

  test.for<[what: string, versions: readonly (readonly [id: string, status?: string])[], newest: string]>([
    ['a release', [['4.2.1-SNAPSHOT'], ['4.2.0'], ['4.1.0']], '4.2.0'],
    ['a snapshot where there is nothing else', [['3.4.0-SNAPSHOT'], ['3.3.0-SNAPSHOT']], '3.4.0-SNAPSHOT'],
    [
      'a snapshot where its makers support no release any more',
      [
        ['3.4.0-SNAPSHOT', 'SUPPORTED'],
        ['3.3.0-SNAPSHOT', 'UNSUPPORTED'],
        ['3.1.1', 'UNSUPPORTED'],
      ],
      '3.4.0-SNAPSHOT',
    ],
    [
      'a release where nothing is supported any more',
      [
        ['1.22-rc1', 'UNSUPPORTED'],
        ['1.21', 'UNSUPPORTED'],
      ],
      '1.21',
    ],
  ])('uses as the latest version %s', async ([, versions, newest], { fixture }) => {
    fixture.host.give('/v3/projects/velocity/versions', {
      versions: versions.map(([id, status]) => ({
        version: { id, ...(status && { support: { status } }) },
        builds: [1],
      })),
    })
    const url = 'https://fill-data.papermc.io/velocity.jar'
    fixture.host.give(`/v3/projects/velocity/versions/${newest}/builds/latest`, {
      id: 1,
      channel: 'STABLE',
      downloads: { 'server:default': { name: 'velocity.jar', url } },
    })
    fixture.host.give('/velocity.jar', 'velocity')

    await fixture.run([{ type: 'paperdl', project: 'velocity' }])

    expect(fixture.messages).toContain(`velocity ${newest}, build 1`)
    expect(read(fixture, 'server.jar')).toBe('velocity')
  })

  test('shows which build does not exist', async ({ fixture }) => {
    answers(fixture)

    expect(await fixture.getFailure([{ type: 'paperdl', project: 'folia', minecraftVersion: '1.3' }])).toContain(
      'fill.papermc.io has no build latest of folia 1.3',
    )
    expect(existsSync(join(fixture.folder, 'server.jar'))).toBe(false)
  })
})

test.for(['mojangdl', 'paperdl', 'fabricdl', 'forgedl'])(
  'a %s step needs the name of a file',
  async (type, { fixture }) => {
    for (const target of ['/', '.', '../server.jar']) {
      await expect(fixture.run([{ type, target, version: '1-2' }])).rejects.toMatchObject({ code: 'ErrFactoryError' })
    }
  },
)
