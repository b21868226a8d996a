import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { arch, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Definition, type Requirements } from '@innkeeper/contract/definitions/definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { test as base, expect } from 'vitest'
import { checkRequirements } from './requirements.ts'

const test = base.extend<{ path: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern.
  path: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'innkeeper-path-'))
    writeFileSync(join(folder, 'java17'), '')
    chmodSync(join(folder, 'java17'), 0o755)
    writeFileSync(join(folder, 'notes'), '')
    mkdirSync(join(folder, 'folder'))
    await use(`/nowhere:${folder}`)
    rmSync(folder, { recursive: true })
  },
})

const host = { os: 'linux', arch: 'amd64' }

async function answerTo(
  requirements: Requirements,
  path: string,
  type = 'standard',
  isDockerAvailable = async () => false,
  more: object = {},
): Promise<unknown> {
  const values = new Map([['java', 'java17']])
  try {
    const definition = Definition.parse({ type: 'x', environment: { type }, ...more })
    await checkRequirements(requirements, { definition, values, path, host, isDockerAvailable })
  } catch (error) {
    if (error instanceof Refusal) return [error.code, error.metadata]
    throw error
  }
  return 'fine'
}

test.for<[Requirements, unknown]>([
  [{}, 'fine'],
  [{ os: '', arch: null, binaries: [''] }, 'fine'],
  [{ os: 'linux', arch: 'amd64' }, 'fine'],
  [{ os: 'windows || linux', arch: 'arm64||amd64' }, 'fine'],
  [{ os: 'windows||darwin' }, ['ErrUnsupportedOS', { actual: 'linux', expected: 'windows OR darwin' }]],
  [{ arch: 'arm64' }, ['ErrUnsupportedArch', { actual: 'amd64', expected: 'arm64' }]],
  [{ binaries: ['java17', '${java}'] }, 'fine'],
  [{ binaries: ['java8 || java17'] }, 'fine'],
  [{ binaries: ['java17', 'java8||java11'] }, ['ErrMissingBinary', { expected: 'java8 OR java11' }]],
  [{ binaries: ['notes'] }, ['ErrMissingBinary', { expected: 'notes' }]],
  [{ binaries: ['folder'] }, ['ErrMissingBinary', { expected: 'folder' }]],
  [{ binaries: ['../bin/sh'] }, ['ErrMissingBinary', { expected: '../bin/sh' }]],
  [{ binaries: ['/bin/sh'] }, 'fine'],
])('requirements %j give %j', async ([requirements, expected], { path }) => {
  expect(await answerTo(requirements, path)).toEqual(expected)
})

test('a container needs the Docker Engine, but no programs of the node', async ({ path }) => {
  const answer = ['ErrDockerNotSupported', {}]

  expect(await answerTo({ binaries: ['java8'] }, path, 'docker')).toEqual(answer)
  expect(await answerTo({}, path, 'container')).toEqual(answer)
  expect(await answerTo({ binaries: ['java8'] }, path, 'docker', async () => true)).toBe('fine')
})

test('a server outside of containers needs the Docker Engine for a script in one', async ({ path }) => {
  const script = { install: [{ type: 'dockerrun', image: 'a', script: 'true' }] }

  expect(await answerTo({}, path, 'standard', async () => false, script)).toEqual(['ErrDockerNotSupported', {}])
  expect(await answerTo({}, path, 'standard', async () => true, script)).toBe('fine')
})

test('the host has a platform name that templates use', async ({ path }) => {
  const own = arch() === 'x64' ? 'amd64' : arch()

  const checking = checkRequirements(
    { os: 'linux', arch: own },
    { definition: Definition.parse({ type: 'x' }), values: new Map(), path, isDockerAvailable: async () => false },
  )

  await expect(checking).resolves.toBeUndefined()
})
