import { expect, test } from 'vitest'
import { assertUnambiguousJson } from './json-problems.ts'

test.each([
  '{"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}],"d":"{\\"a\\":1,\\"a\\":2}"}',
  '[1e308,-1.5e-400,0,{"":[]},"\\\\","a,\\"b\\":1"]',
  '{"a":[[],{}],"b":{},"a\\u0062":1}',
  '"text"',
  ' 12 ',
])('%s is unambiguous', (text) => {
  JSON.parse(text)
  expect(() => assertUnambiguousJson(text)).not.toThrow()
})

test.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"data":{"port":{"value":1},"ip":{},"port":{}}}', 'data.port'],
  ['{"install":[{"type":"a"},{"type":"b","type":"c"}]}', 'install.1.type'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"run":{"stopCode":1e400}}', 'run.stopCode'],
  ['[[0,-1E999]]', '0.1'],
])('%s is refused with the place', (text, field) => {
  JSON.parse(text)
  expect(() => assertUnambiguousJson(text)).toThrow(
    expect.objectContaining({ code: 'ErrFieldInvalid', metadata: expect.objectContaining({ field }) }),
  )
})

test('a long text takes time in proportion to its length', () => {
  const text = `[${Array.from({ length: 40_000 }, (_, at) => `{"key${at}":[${at},"\\"${'x'.repeat(50)}"]}`).join(',')}]`

  const before = performance.now()
  assertUnambiguousJson(text)

  expect(text.length).toBeGreaterThan(3_000_000)
  expect(performance.now() - before).toBeLessThan(2_000)
})
