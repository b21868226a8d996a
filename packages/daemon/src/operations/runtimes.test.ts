import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import { adoptium, nodejs } from '../testing/outside.ts'
import { openWorkshop, type Workshop } from '../testing/workshop.ts'

const test = base.extend<{ shop: Workshop }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  shop: async ({}, use) => {
    await using shop = await openWorkshop()
    await use(shop)
  },
})

/** The output of a program in the server's PATH. */
function said(shop: Workshop, ...argv: string[]): string {
  const path = `${shop.sharedStore.runtimes.folderOf('0a1b2c3d')}:/usr/bin:/bin`
  return execFileSync('/usr/bin/env', [`PATH=${path}`, ...argv], { encoding: 'utf8' }).trim()
}

describe('a javadl step', () => {
  test('links Java into the PATH of the server, the newest without a number too', async ({ shop }) => {
    for (const major of [8, 21, 17]) adoptium(shop, major)

    await shop.run([8, 21, '17'].map((version) => ({ type: 'javadl', version })))

    expect(['java8', 'javac17', 'java21', 'java', 'javac'].map((program) => said(shop, program))).toEqual([
      ...['java 8', 'javac 17', 'java 21', 'java 21', 'javac 21'],
    ])
    expect(shop.host.paths()[0]).toBe(
      '/v3/assets/feature_releases/8/ga?architecture=x64&image_type=jdk&os=linux&page=0&page_size=1&project=jdk&sort_method=DEFAULT&sort_order=DESC&vendor=eclipse',
    )
    expect(readdirSync(join(shop.node, 'runtimes')).toSorted()).toEqual([
      ...['downloads', 'java-jdk-17.0.5+11-x64', 'java-jdk-21.0.5+11-x64', 'java-jdk-8.0.5+11-x64'],
      ...['servers', 'unpacking'],
    ])
    expect(statSync(join(shop.node, 'runtimes/java-jdk-8.0.5+11-x64/bin/java')).mode & 0o777).toBe(0o755)
  })

  test('does nothing when the server has it, and downloads once for concurrent servers', async ({ shop }) => {
    adoptium(shop, 21)
    const other = { conditionContext: { env: 'host', os: 'linux', arch: 'amd64', serverId: 'ffffffff' } }
    const nothing = async () => false

    await Promise.all([
      shop.run([{ type: 'javadl', version: '21' }]),
      shop.run([{ type: 'javadl', version: '21' }], { ...other, inPath: nothing }),
    ])
    await shop.run([{ type: 'javadl', version: '21' }])

    expect(shop.host.paths().filter((path) => path.endsWith('.gz'))).toHaveLength(1)
    expect(shop.said.at(-1)).toBe('java21 is already installed')
    expect(readdirSync(join(shop.node, 'runtimes/servers')).toSorted()).toEqual(['0a1b2c3d', 'ffffffff'])
  })

  test('says which version does not exist', async ({ shop }) => {
    shop.host.give('/v3/assets/feature_releases/7/ga', [])

    expect(await shop.failureOf([{ type: 'javadl', version: 7 }])).toContain(
      'api.adoptium.net has no Java 7 for linux on x64',
    )
    await expect(shop.run([{ type: 'javadl', version: 'new' }])).rejects.toMatchObject({ code: 'ErrFactoryError' })
  })

  test.for([
    [
      'another checksum',
      { checksum: 'a'.repeat(64) },
      'java.tar.gz does not match the checksum published by github.com',
    ],
    ['no Java in it', { parts: [{ name: 'x/readme' }] }, 'holds no bin/java'],
  ] as const)('leaves nothing of an archive with %s', async ([, changes, why], { shop }) => {
    adoptium(shop, 21, changes as Parameters<typeof adoptium>[2])

    expect(await shop.failureOf([{ type: 'javadl', version: 21 }])).toContain(why)
    for (const folder of ['downloads', 'unpacking']) {
      const path = join(shop.node, 'runtimes', folder)
      const left = existsSync(path) ? readdirSync(path, { recursive: true }).map(String) : []
      expect(left.filter((name) => !statSync(join(path, name)).isDirectory())).toEqual([])
    }
    expect(existsSync(join(shop.node, 'runtimes/servers'))).toBe(false)
  })

  test('downloads damaged files again, and ignores leftovers of an earlier attempt', async ({ shop }) => {
    adoptium(shop, 21)
    await shop.run([{ type: 'javadl', version: 21 }])
    const home = join(shop.node, 'runtimes/java-jdk-21.0.5+11-x64')
    rmSync(join(home, 'bin/java'))
    mkdirSync(join(shop.node, 'runtimes/unpacking/x'), { recursive: true })
    writeFileSync(join(home, 'left'), '')

    await shop.run([{ type: 'javadl', version: 21 }])

    expect(said(shop, 'java21')).toBe('java 21')
    expect(existsSync(join(home, 'left'))).toBe(false)
  })

  test('can be aborted and repeated', async ({ shop }) => {
    adoptium(shop, 21)
    const giveUp = new AbortController()
    const enough = new Error('enough')
    shop.host.answer('/adoptium/21/jdk.tar.gz', (_, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('begin', () => giveUp.abort(enough))
    })

    await expect(shop.run([{ type: 'javadl', version: 21 }], { signal: giveUp.signal })).rejects.toBe(enough)
    adoptium(shop, 21)
    await shop.run([{ type: 'javadl', version: 21 }])

    expect(said(shop, 'java21')).toBe('java 21')
  })
})

test('makes everything readable for servers, whatever the modes in the archive', async ({ shop }) => {
  const parts = ['bin/java', 'bin/javac', 'lib/modules'].map((name) => ({ name: `jdk/${name}`, mode: 0o600 }))
  adoptium(shop, 21, { parts: [{ name: 'jdk/lib', type: '5', mode: 0o700 }, ...parts] })

  await shop.run([{ type: 'javadl', version: 21 }])

  const home = join(shop.node, 'runtimes/java-jdk-21.0.5+11-x64')
  const modeOf = (path: string) => statSync(join(home, path)).mode & 0o777
  expect(['', 'lib', 'lib/modules', 'bin/java'].map(modeOf)).toEqual([0o755, 0o755, 0o644, 0o755])
})

describe('a nodejsdl step', () => {
  test('links the newest version of a major version into the PATH of the server, with npm', async ({ shop }) => {
    const versions = ['v23.1.0', 'v22.9.0', 'v22.11.0', 'v2.2.0'].map((version) => ({ version, files: ['linux-x64'] }))
    shop.host.give('/dist/index.json', versions)
    nodejs(shop, '22.11.0')

    await shop.run([{ type: 'nodejsdl', version: 22 }])

    expect(said(shop, 'node22', 'x')).toBe('node x')
    expect(said(shop, 'node')).toBe('node')
    expect(said(shop, 'npm22', 'install')).toBe('node npm-cli.js install')
    expect(said(shop, 'npx', 'tool')).toBe('node npx-cli.js tool')
  })

  test('says which version does not exist', async ({ shop }) => {
    shop.host.give('/dist/index.json', [{ version: 'v22.1.0' }])
    shop.host.give('/dist/v22.1.0/SHASUMS256.txt', `${'0'.repeat(64)}  node-v22.1.0-win-x64.zip\n`)

    expect(await shop.failureOf([{ type: 'nodejsdl', version: 21 }])).toContain('nodejs.org has no Node.js 21')
    expect(await shop.failureOf([{ type: 'nodejsdl', version: 22 }])).toContain('no Node.js v22.1.0 for linux on x64')
  })
})

test('the links of a deleted server are removed', async ({ shop }) => {
  adoptium(shop, 21)
  await shop.run([{ type: 'javadl', version: 21 }])

  await shop.sharedStore.runtimes.forget('0a1b2c3d')

  expect(await shop.sharedStore.runtimes.linksOf('0a1b2c3d')).toEqual([])
  expect(existsSync(join(shop.node, 'runtimes/java-jdk-21.0.5+11-x64/bin/java'))).toBe(true)
})
