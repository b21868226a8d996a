import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LaunchOptions } from '../processes/run.ts'
import { KeeperFixture, Reader } from '../testing/keepers.ts'
import { createEnvironments } from './environments.ts'

test.for(['standard', 'tty'])(
  'in %s a program that cannot be run is a missing binary, and the server remains usable',
  async (type) => {
    await using fixture = await KeeperFixture.create()
    const environment = createEnvironments(await fixture.open(), noDocker).find({ type }, server)
    const cwd = join(fixture.dataDir, 'server')
    mkdirSync(join(cwd, 'folder'), { recursive: true })
    writeFileSync(join(cwd, 'text'), 'not a program')

    for (const file of ['no-such-program', './no-such-program', './folder', './text', '', '/nowhere/at/all'])
      await expect(environment.start(plan({ file, cwd }))).rejects.toMatchObject({
        code: 'ErrMissingBinary',
        metadata: { expected: file },
      })
    await expect(environment.start(plan({ cwd: join(cwd, 'gone') }))).rejects.toMatchObject({
      code: 'ErrMissingDirectory',
    })

    const run = await environment.start(plan({ file: 'echo', args: ['fine'], cwd }))
    const { exit, text } = await new Reader(run, 0).all()
    expect({ exit, text: text.trim() }).toEqual({ exit: { code: 0, signal: null }, text: 'fine' })
  },
)

test('a program is looked up in the PATH of its own environment, or from the server’s directory', async () => {
  await using fixture = await KeeperFixture.create()
  const environment = createEnvironments(await fixture.open(), noDocker).find({ type: 'standard' }, server)
  const cwd = join(fixture.dataDir, 'server')
  mkdirSync(join(cwd, 'bin'), { recursive: true })
  for (const [path, says] of [
    ['bin/game', 'from the path'],
    ['game', 'from the folder'],
  ] as const) {
    writeFileSync(join(cwd, path), `#!/bin/sh\necho ${says}\n`)
    chmodSync(join(cwd, path), 0o755)
  }
  const messages = async (file: string) =>
    (await new Reader(await environment.start(plan({ file, cwd, env: { PATH: join(cwd, 'bin') } })), 0).all()).text

  expect(await messages('game')).toBe('from the path\n')
  expect(await messages('./game')).toBe('from the folder\n')
})

test('only the tty environment has a terminal', async () => {
  await using fixture = await KeeperFixture.create()
  const environments = createEnvironments(await fixture.open(), noDocker)
  const messages = async (type: string) => {
    const asks = plan({ file: 'sh', args: ['-c', 'tty; echo "$TERM $PWD"'], cwd: '/tmp' })
    return (await new Reader(await environments.find({ type }, server).start(asks), 0).all()).text
  }

  expect(await messages('standard')).toBe('not a tty\n /tmp\n')
  expect(await messages('host')).toMatch(/^\/dev\/pts\/\d+\r\nxterm-256color \/tmp\r\n$/)
})

test('an unknown environment type is refused', async () => {
  await using fixture = await KeeperFixture.create()
  const environments = createEnvironments(await fixture.open(), noDocker)

  expect(() => environments.find({ type: 'moon' }, server)).toThrow(
    expect.objectContaining({ code: 'ErrUnknownEnvironment' }),
  )
})

const noDocker = {
  isResponding: false,
  scriptEnvironment: (): never => {
    throw new Error('unused')
  },
  environment: () => {
    throw new Error('nobody asked for a container')
  },
}
const server = { rootDir: '/', variables: {}, values: new Map() }

function plan(changes: Partial<LaunchOptions>): LaunchOptions {
  return { key: 'a/main', file: 'true', args: [], cwd: '/', env: { PATH: '/usr/bin:/bin' }, ...changes }
}
