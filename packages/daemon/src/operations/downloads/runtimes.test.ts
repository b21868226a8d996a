import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import { adoptium, nodejs } from '../../testing/outside.ts'
import { openWorkshop, type StepFixture } from '../../testing/step-fixture.ts'

const test = base.extend<{ fixture: StepFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  fixture: async ({}, use) => {
    await using fixture = await openWorkshop()
    await use(fixture)
  },
})

/** The output of a program in the server's PATH. */
function messages(fixture: StepFixture, ...argv: string[]): string {
  const path = `${fixture.sharedStore.runtimes.getFolder('0a1b2c3d')}:/usr/bin:/bin`
  return execFileSync('/usr/bin/env', [`PATH=${path}`, ...argv], { encoding: 'utf8' }).trim()
}

describe('a javadl step', () => {
  test('links Java into the PATH of the server, the newest without a number too', async ({ fixture }) => {
    for (const major of [8, 21, 17]) adoptium(fixture, major)

    await fixture.run([8, 21, '17'].map((version) => ({ type: 'javadl', version })))

    expect(['java8', 'javac17', 'java21', 'java', 'javac'].map((program) => messages(fixture, program))).toEqual([
      ...['java 8', 'javac 17', 'java 21', 'java 21', 'javac 21'],
    ])
    expect(fixture.host.paths()[0]).toBe(
      '/v3/assets/feature_releases/8/ga?architecture=x64&image_type=jdk&os=linux&page=0&page_size=1&project=jdk&sort_method=DEFAULT&sort_order=DESC&vendor=eclipse',
    )
    expect(readdirSync(join(fixture.node, 'runtimes')).toSorted()).toEqual([
      ...['downloads', 'java-jdk-17.0.5+11-x64', 'java-jdk-21.0.5+11-x64', 'java-jdk-8.0.5+11-x64'],
      ...['servers', 'unpacking'],
    ])
    expect(statSync(join(fixture.node, 'runtimes/java-jdk-8.0.5+11-x64/bin/java')).mode & 0o777).toBe(0o755)
  })

  test('does nothing when the server has it, and downloads once for concurrent servers', async ({ fixture }) => {
    adoptium(fixture, 21)
    const other = { conditionContext: { env: 'host', os: 'linux', arch: 'amd64', serverId: 'ffffffff' } }
    const nothing = async () => false

    await Promise.all([
      fixture.run([{ type: 'javadl', version: '21' }]),
      fixture.run([{ type: 'javadl', version: '21' }], { ...other, inPath: nothing }),
    ])
    await fixture.run([{ type: 'javadl', version: '21' }])

    expect(fixture.host.paths().filter((path) => path.endsWith('.gz'))).toHaveLength(1)
    expect(fixture.messages.at(-1)).toBe('java21 is already installed')
    expect(readdirSync(join(fixture.node, 'runtimes/servers')).toSorted()).toEqual(['0a1b2c3d', 'ffffffff'])
  })

  test('shows which version does not exist', async ({ fixture }) => {
    fixture.host.give('/v3/assets/feature_releases/7/ga', [])

    expect(await fixture.getFailure([{ type: 'javadl', version: 7 }])).toContain(
      'api.adoptium.net has no Java 7 for linux on x64',
    )
    await expect(fixture.run([{ type: 'javadl', version: 'new' }])).rejects.toMatchObject({ code: 'ErrFactoryError' })
  })

  test.for([
    [
      'another checksum',
      { checksum: 'a'.repeat(64) },
      'java.tar.gz does not match the checksum published by github.com',
    ],
    ['no Java in it', { parts: [{ name: 'x/readme' }] }, 'contains no bin/java'],
  ] as const)('leaves nothing of an archive with %s', async ([, changes, why], { fixture }) => {
    adoptium(fixture, 21, changes as Parameters<typeof adoptium>[2])

    expect(await fixture.getFailure([{ type: 'javadl', version: 21 }])).toContain(why)
    for (const folder of ['downloads', 'unpacking']) {
      const path = join(fixture.node, 'runtimes', folder)
      const left = existsSync(path) ? readdirSync(path, { recursive: true }).map(String) : []
      expect(left.filter((name) => !statSync(join(path, name)).isDirectory())).toEqual([])
    }
    expect(existsSync(join(fixture.node, 'runtimes/servers'))).toBe(false)
  })

  test('downloads damaged files again, and ignores leftovers of an earlier attempt', async ({ fixture }) => {
    adoptium(fixture, 21)
    await fixture.run([{ type: 'javadl', version: 21 }])
    const home = join(fixture.node, 'runtimes/java-jdk-21.0.5+11-x64')
    rmSync(join(home, 'bin/java'))
    mkdirSync(join(fixture.node, 'runtimes/unpacking/x'), { recursive: true })
    writeFileSync(join(home, 'left'), '')

    await fixture.run([{ type: 'javadl', version: 21 }])

    expect(messages(fixture, 'java21')).toBe('java 21')
    expect(existsSync(join(home, 'left'))).toBe(false)
  })

  test('can be aborted and repeated', async ({ fixture }) => {
    adoptium(fixture, 21)
    const aborting = new AbortController()
    const enough = new Error('enough')
    fixture.host.answer('/adoptium/21/jdk.tar.gz', (_, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('begin', () => aborting.abort(enough))
    })

    await expect(fixture.run([{ type: 'javadl', version: 21 }], { signal: aborting.signal })).rejects.toBe(enough)
    adoptium(fixture, 21)
    await fixture.run([{ type: 'javadl', version: 21 }])

    expect(messages(fixture, 'java21')).toBe('java 21')
  })
})

test('makes everything readable for servers, whatever the modes in the archive', async ({ fixture }) => {
  const parts = ['bin/java', 'bin/javac', 'lib/modules'].map((name) => ({ name: `jdk/${name}`, mode: 0o600 }))
  adoptium(fixture, 21, { parts: [{ name: 'jdk/lib', type: '5', mode: 0o700 }, ...parts] })

  await fixture.run([{ type: 'javadl', version: 21 }])

  const home = join(fixture.node, 'runtimes/java-jdk-21.0.5+11-x64')
  const getMode = (path: string) => statSync(join(home, path)).mode & 0o777
  expect(['', 'lib', 'lib/modules', 'bin/java'].map(getMode)).toEqual([0o755, 0o755, 0o644, 0o755])
})

describe('a nodejsdl step', () => {
  test('links the newest version of a major version into the PATH of the server, with npm', async ({ fixture }) => {
    const versions = ['v23.1.0', 'v22.9.0', 'v22.11.0', 'v2.2.0'].map((version) => ({ version, files: ['linux-x64'] }))
    fixture.host.give('/dist/index.json', versions)
    nodejs(fixture, '22.11.0')

    await fixture.run([{ type: 'nodejsdl', version: 22 }])

    expect(messages(fixture, 'node22', 'x')).toBe('node x')
    expect(messages(fixture, 'node')).toBe('node')
    expect(messages(fixture, 'npm22', 'install')).toBe('node npm-cli.js install')
    expect(messages(fixture, 'npx', 'tool')).toBe('node npx-cli.js tool')
  })

  test('shows which version does not exist', async ({ fixture }) => {
    fixture.host.give('/dist/index.json', [{ version: 'v22.1.0' }])
    fixture.host.give('/dist/v22.1.0/SHASUMS256.txt', `${'0'.repeat(64)}  node-v22.1.0-win-x64.zip\n`)

    expect(await fixture.getFailure([{ type: 'nodejsdl', version: 21 }])).toContain('nodejs.org has no Node.js 21')
    expect(await fixture.getFailure([{ type: 'nodejsdl', version: 22 }])).toContain(
      'no Node.js v22.1.0 for linux on x64',
    )
  })
})

test('the links of a deleted server are removed', async ({ fixture }) => {
  adoptium(fixture, 21)
  await fixture.run([{ type: 'javadl', version: 21 }])

  await fixture.sharedStore.runtimes.forget('0a1b2c3d')

  expect(await fixture.sharedStore.runtimes.readLinks('0a1b2c3d')).toEqual([])
  expect(existsSync(join(fixture.node, 'runtimes/java-jdk-21.0.5+11-x64/bin/java'))).toBe(true)
})
