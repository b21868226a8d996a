import { expect, test } from 'vitest'
import { folderOf, freeName, joined, nameOf } from './naming.ts'

test.each([
  ['a.zip', [], 'a.zip'],
  ['a.zip', ['a.zip'], 'a (2).zip'],
  ['a.zip', ['a.zip', 'a (2).zip', 'a (3).zip'], 'a (4).zip'],
  ['a (2).zip', ['a (2).zip'], 'a (3).zip'],
  ['world.tar.gz', ['world.tar.gz'], 'world (2).tar.gz'],
  ['README', ['README'], 'README (2)'],
  ['.env', ['.env'], '.env (2)'],
  ['v1.2 final.txt', ['v1.2 final.txt'], 'v1.2 final (2).txt'],
])('%s beside %j is called %s', (name, taken, free) => {
  expect(freeName(name, new Set(taken))).toBe(free)
})

test('paths are put together and taken apart without stray slashes', () => {
  expect([joined('', 'a'), joined('plugins', 'a/b'), joined('/plugins/', '')]).toEqual(['a', 'plugins/a/b', 'plugins'])
  expect([folderOf('a'), folderOf('a/b/c'), nameOf('a/b/c'), nameOf('a')]).toEqual(['', 'a/b', 'c', 'a'])
})
