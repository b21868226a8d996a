import { expect, test } from 'vitest'
import { freeName } from './naming.ts'

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
