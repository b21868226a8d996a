import { expect, test } from 'vitest'
import { slowRegexes } from './regexes.ts'
import { getSource, isForTests, sources } from './sources.ts'

test('no regular expression takes more than linear time on long text', () => {
  const programs = sources(['packages/*/src/**/*.{ts,tsx}', 'bench/**/*.ts', 'tools/**/*.ts'])

  expect(programs.filter(({ path }) => !isForTests(path)).flatMap(slowRegexes)).toEqual([])
})

test('stripVTControlCharacters, which is not linear, is not used', () => {
  const programs = sources(['packages/*/src/**/*.{ts,tsx}']).filter(({ path }) => !isForTests(path))

  expect(programs.filter(({ text }) => text.includes('stripVTControlCharacters')).map(({ path }) => path)).toEqual([])
})

test.each([
  [String.raw`/\r+$/`],
  [String.raw`text.split(/\s*,\s*/)`],
  ['/^(a+)+$/'],
  ['/(?:a|b)*c/'],
  [String.raw`new RegExp('\\s+$')`],
  ['RegExp(`x+$`, `g`)'],
  ['new RegExp(String.raw`\\d+x`)'],
])('the check finds %s', (text) => {
  expect(slowRegexes(getSource('packages/daemon/src/a.ts', text))).toHaveLength(1)
})

test.each([[String.raw`/^\s+/`], ['/a{0,30}$/'], [String.raw`/\/\/[^/]*@/`], ['new RegExp(source)']])(
  'the check allows %s',
  (text) => {
    expect(slowRegexes(getSource('packages/daemon/src/a.ts', text))).toEqual([])
  },
)
