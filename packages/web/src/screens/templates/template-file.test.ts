import { expect, test } from 'vitest'
import { readTemplateFile, sortKeysLike, toComparable } from './template-file.ts'

test.each([
  ['imported-one', 'imported-one'],
  ['Not a name', 'mytpl'],
  [7, 'mytpl'],
  [undefined, 'mytpl'],
])('a template file that calls itself %j is proposed as %s', (name, proposed) => {
  expect(readTemplateFile('MyTpl.json', JSON.stringify({ type: 'game', name })).name).toBe(proposed)
})

test('a template file is not changed', () => {
  const written = { odd: [1], type: 'game', data: { port: { value: '1', required: 'true' } } }

  const read = readTemplateFile('Chess.JSON', `\uFEFF${JSON.stringify(written)}`)

  expect(read).toEqual({ name: 'chess', raw: written, notes: undefined })
})

test('a file in the 1.x format is converted and named by its display name', () => {
  const read = readTemplateFile('x.json', '{"pufferd":{"type":"game","display":"The Game","run":{"program":"a"}}}')

  expect(read.name).toBe('the-game')
  expect(read.raw).toMatchObject({ run: { command: 'a' } })
  expect(read.notes).toEqual([{ kind: 'noEnvironment' }])
})

test('an egg is converted and named by its name', () => {
  const egg = { meta: { version: 'PTDL_v2' }, name: 'The Game', startup: './x', docker_images: { a: 'example.org/a' } }

  const read = readTemplateFile('egg.json', JSON.stringify(egg))

  expect(read).toMatchObject({ name: 'the-game', isEgg: true, raw: { run: { command: './x' } }, notes: [] })
})

test.each([
  ['broken JSON', '{"type":', 'JSON'],
  ['a list', '[]', 'The json data is invalid'],
  ['no category', '{"run":{}}', 'type is required'],
])('a file with %s is refused', (_, content, reason) => {
  expect(() => readTemplateFile('a.json', content)).toThrow(reason)
})

test('the comparable template has the key order and defaults of the current one', () => {
  const current = {
    run: { stop: 'x', command: 'y' },
    type: 'game',
    name: 'a',
    supportedEnvironments: [{ type: 'tty' }],
  }
  const incoming = { type: 'game', environment: { type: 'tty' }, run: { command: 'y', stop: 'x' } }

  const compared = toComparable(current, incoming, 'a')

  expect(JSON.stringify({ ...compared, environment: undefined, data: undefined })).toBe(JSON.stringify(current))
})

test('keys are sorted like those of another object, in arrays too', () => {
  const ordered = sortKeysLike(
    [{ b: 1, a: { d: 1, c: 1 } }],
    [
      { a: { c: 2, d: 2, e: 2 }, b: 2 },
      { z: 1, y: 1 },
    ],
  )

  expect(JSON.stringify(ordered)).toBe('[{"b":2,"a":{"d":2,"c":2,"e":2}},{"z":1,"y":1}]')
})
