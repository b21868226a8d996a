import { expect, test } from 'vitest'
import { limits } from './limits.ts'
import { parseYaml, YamlError } from './parse-yaml.ts'

test('maps, lists, texts and numbers are read', () => {
  expect(parseYaml("\uFEFFa: 'yes'\nb:\n  - 1\n  - true\nc: |-\n  x\n  y\nd: {  }\n")).toEqual({
    a: 'yes',
    b: [1, true],
    c: 'x\ny',
    d: {},
  })
})

test('an error has its line and column', () => {
  const read = () => parseYaml('a: 1\nb: [1, 2\nc: 3\n')

  expect(read).toThrow(YamlError)
  expect(read).toThrow(expect.objectContaining({ line: 3, column: 1 }))
})

const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
for (let level = 1; level < 10; level++) {
  const aliases = Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')
  bomb.push(`a${level}: &a${level} [${aliases}]`)
}

test.each([
  ['many aliases', bomb.join('\n')],
  ['nested lists', '- '.repeat(100_000)],
  ['nested brackets', '['.repeat(100_000)],
  ['nested maps', Array.from({ length: 1_100 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
  ['an alias of nothing', 'a: *b'],
  ['too many bytes', 'a'.repeat(limits.yamlBytes + 1)],
])('a text with %s is refused', (_, text) => {
  expect(() => parseYaml(text)).toThrow(YamlError)
})

test('a map with many keys is read in time', () => {
  const text = Array.from({ length: 30_000 }, (_, at) => `key${at}: 1`).join('\n')
  const begin = performance.now()

  const map = parseYaml(text) as object

  expect(Object.keys(map)).toHaveLength(30_000)
  expect(performance.now() - begin).toBeLessThan(10_000)
})

test('a key of the prototype is only a key', () => {
  const map = parseYaml('__proto__:\n  polluted: true\n') as object

  expect(Object.getPrototypeOf(map)).toBe(Object.prototype)
  expect({}).not.toHaveProperty('polluted')
})
