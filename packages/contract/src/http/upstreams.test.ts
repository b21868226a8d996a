import { expect, test } from 'vitest'
import { findUpstream, resolveMirror } from './upstreams.ts'

const mirrors = { mojang: 'http://127.0.0.1:81/mirror/', github: 'https://hub.example' }

test.each([
  ['https://launchermeta.mojang.com/mc/game/x.json?a=1', 'http://127.0.0.1:81/mirror/mc/game/x.json?a=1'],
  ['https://piston-data.mojang.com/v1/server.jar', 'http://127.0.0.1:81/mirror/v1/server.jar'],
  ['https://API.github.com/repos/a%20b', 'https://hub.example/repos/a%20b'],
  ['https://meta.fabricmc.net/v2', 'https://meta.fabricmc.net/v2'],
  ['https://github.com:8443/a', 'https://github.com:8443/a'],
  ['https://example.com/launchermeta.mojang.com', 'https://example.com/launchermeta.mojang.com'],
])('%s is requested from %s', (url, where) => {
  expect(resolveMirror(new URL(url), mirrors).href).toBe(where)
})

test('a host belongs to one service', () => {
  expect(['maven.fabricmc.net', 'maven.minecraftforge.net', 'example.com'].map(findUpstream)).toEqual([
    'fabric',
    'forge',
    undefined,
  ])
})
