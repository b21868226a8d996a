import { expect, test } from 'vitest'
import { basename, dirname, isWithin, joinPath, parsePath, pathSegments, uniqueName } from './file-paths.ts'

test.each([
  ['', ''],
  ['/', ''],
  ['plugins', 'plugins'],
  ['/plugins//LandClaim/', 'plugins/LandClaim'],
  ['plugins/./ a', 'plugins/ a'],
  ['plugins/x/../LandClaim', 'plugins/LandClaim'],
  ['../../etc/passwd', 'etc/passwd'],
  ['..', ''],
  ['a b/c', 'a b/c'],
])('the path %j is normalized to %j', (text, path) => {
  expect(parsePath(text)).toBe(path)
})

test('paths are split into segments and joined from them', () => {
  expect(pathSegments('')).toEqual([])
  expect(pathSegments('plugins/LandClaim')).toEqual([
    { name: 'plugins', path: 'plugins' },
    { name: 'LandClaim', path: 'plugins/LandClaim' },
  ])
  expect([joinPath('', 'a'), joinPath('a', 'b')]).toEqual(['a', 'a/b'])
  expect([dirname('a/b/c'), dirname('a'), dirname('')]).toEqual(['a/b', '', ''])
  expect([basename('a/b'), basename('a'), basename('')]).toEqual(['b', 'a', ''])
  expect([isWithin('a', 'a'), isWithin('a', 'a/b'), isWithin('a', 'ab'), isWithin('', 'x')]).toEqual([
    true,
    true,
    false,
    true,
  ])
})

test.each([
  ['a.zip', [], 'a.zip'],
  ['a.zip', ['a.zip'], 'a (2).zip'],
  ['a.zip', ['a.zip', 'a (2).zip', 'a (3).zip'], 'a (4).zip'],
  ['a (2).zip', ['a (2).zip'], 'a (3).zip'],
  ['world.tar.gz', ['world.tar.gz'], 'world (2).tar.gz'],
  ['World.TAR.GZ', ['World.TAR.GZ'], 'World (2).TAR.GZ'],
  ['README', ['README'], 'README (2)'],
  ['.env', ['.env'], '.env (2)'],
  ['v1.2 final.txt', ['v1.2 final.txt'], 'v1.2 final (2).txt'],
])('the unique name of %s among %j is %s', (name, existing, unique) => {
  expect(uniqueName(name, new Set(existing))).toBe(unique)
})
