import { describe, expect, test } from 'vitest'
import { type ManifestError, parseManifest } from './read-manifest.ts'
import { secretPlaceholder } from './secrets.ts'

const getError = (text: string): string => {
  try {
    parseManifest(text, 'f.yaml')
  } catch (error) {
    return (error as ManifestError).message
  }
  return ''
}

test('a file is read', () => {
  const text = `version: 1
users:
  mara@example.org: { username: mara, permissions: [createServers] }
servers:
  Survival:
    template: minecraft-paper
    variables: { port: 25566, rconpassword: !secret unchanged, token: !secret }
`

  const { manifest } = parseManifest(text, 'f.yaml')

  expect(manifest.users).toEqual({ 'mara@example.org': { username: 'mara', permissions: ['createServers'] } })
  expect(manifest.servers?.Survival?.variables).toEqual({
    port: 25566,
    rconpassword: secretPlaceholder,
    token: secretPlaceholder,
  })
})

describe('an error names line and column', () => {
  test.each<[name: string, text: string, error: string]>([
    ['of a syntax error', 'version: 1\nservers: [', 'f.yaml:2:'],
    ['of an unknown section', 'version: 1\nsevers: {}\n', "f.yaml:2:1: There is no field 'severs' here."],
    [
      'of an unknown field',
      'version: 1\nservers:\n  Lobby:\n    node: a\n    port: 1\n',
      "f.yaml:5:5: There is no field 'port' here.",
    ],
    [
      'of an unknown permission',
      'version: 1\nservers:\n  Lobby:\n    users:\n      a@b.org:\n        - startServer\n        - fly\n',
      'f.yaml:7:11: servers.Lobby.users.a@b.org.1 is not valid.',
    ],
    ['of a wrong type', 'version: 1\nusers:\n  a@b.org: 7\n', 'f.yaml:3:3: users.a@b.org is not valid.'],
    ['of a missing field', 'version: 1\nusers:\n  a@b.org: {}\n', 'f.yaml:3:3: users.a@b.org.username is required.'],
    ['of a missing version', 'servers: {}\n', 'f.yaml:1:1: version is not valid.'],
    ['of a later version', 'version: 2\n', 'f.yaml:1:1: version is not valid.'],
    [
      'of a name that is there twice',
      'version: 1\nservers:\n  Lobby: {}\n  Lobby: {}\n',
      'f.yaml:4:3: Map keys must be unique',
    ],
    [
      'of an invalid address',
      'version: 1\nusers:\n  mara: { username: mara }\n',
      'f.yaml:3:3: users.mara is not a valid email.',
    ],
    [
      'of a number that would change',
      'version: 1\nservers:\n  Lobby:\n    variables:\n      owner: 76561198000000001\n',
      'f.yaml:5:14: Write this number in quotes, to keep it as it is.',
    ],
    [
      'of a secret with a value',
      'version: 1\nservers:\n  Lobby:\n    variables:\n      password: !secret tiger\n',
      'f.yaml:5:',
    ],
    [
      'of a tag that does not exist',
      'version: 1\nservers: !include other.yaml\n',
      'f.yaml:2:10: Unresolved tag: !include',
    ],
  ])('%s', (_name, text, error) => {
    expect(getError(text)).toContain(error)
  })
})

describe('a hostile file is refused', () => {
  test('with aliases that become huge', () => {
    const levels = Array.from({ length: 9 }, (_, at) => `  v${at + 1}: &v${at + 1} [${`*v${at},`.repeat(9)}]`)
    const text = `version: 1\ntemplates:\n  v0: &v0 [x]\n${levels.join('\n')}\n`

    expect(getError(text)).toContain('alias')
  })

  test('with levels without end', () => {
    expect(getError(`version: 1\ntemplates: { a: { b: ${'['.repeat(500)}${']'.repeat(500)} } }`)).toContain('levels')
    expect(getError('['.repeat(50_000))).not.toBe('')
    expect(getError('- '.repeat(50_000))).not.toBe('')
  })

  test('with keys of a prototype', () => {
    expect(getError('version: 1\ntemplates:\n  a:\n    __proto__: { type: x }\n')).toContain('f.yaml:4:5')
  })

  test('with many errors, of which some are listed', () => {
    const text = `version: 1\n${Array.from({ length: 1_000 }, (_, at) => `k${at}: 1\n`).join('')}`

    expect(getError(text).split('\n')).toHaveLength(50)
  })
})
