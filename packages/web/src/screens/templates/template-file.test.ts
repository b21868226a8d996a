import { expect, test } from 'vitest'
import { comparableTo, inOrderOf, readTemplateFile } from './template-file.ts'

test.each([
  ['imported-one', 'imported-one'],
  ['Not a name', 'mytpl'],
  [7, 'mytpl'],
  [undefined, 'mytpl'],
])('a template file that calls itself %j is proposed as %s', (name, proposed) => {
  expect(readTemplateFile('MyTpl.json', JSON.stringify({ type: 'game', name })).name).toBe(proposed)
})

test('a template file stays as it was written', () => {
  const written = { odd: [1], type: 'game', data: { port: { value: '1', required: 'true' } } }

  const read = readTemplateFile('Chess.JSON', `\uFEFF${JSON.stringify(written)}`)

  expect(read).toEqual({ name: 'chess', raw: written, notes: undefined })
})

test('a file of the 1.x format is converted, and called as people call it', () => {
  const read = readTemplateFile('x.json', '{"pufferd":{"type":"game","display":"The Game","run":{"program":"a"}}}')

  expect(read.name).toBe('the-game')
  expect(read.raw).toMatchObject({ run: { command: 'a' } })
  expect(read.notes).toEqual([{ kind: 'noEnvironment' }])
})

test.each([
  ['broken JSON', '{"type":', 'JSON'],
  ['a list', '[]', 'The json data is invalid'],
  ['no category', '{"run":{}}', 'type is required'],
])('a file with %s is refused', (_, content, reason) => {
  expect(() => readTemplateFile('a.json', content)).toThrow(reason)
})

test('what is compared differs in what it says, not in how it is written', () => {
  const held = { run: { stop: 'x', command: 'y' }, type: 'game', name: 'a', supportedEnvironments: [{ type: 'tty' }] }
  const offered = { type: 'game', environment: { type: 'tty' }, run: { command: 'y', stop: 'x' } }

  const compared = comparableTo(held, offered, 'a')

  expect(JSON.stringify({ ...compared, environment: undefined, data: undefined })).toBe(JSON.stringify(held))
})

test('keys take the order of another object, in lists too', () => {
  const ordered = inOrderOf(
    [{ b: 1, a: { d: 1, c: 1 } }],
    [
      { a: { c: 2, d: 2, e: 2 }, b: 2 },
      { z: 1, y: 1 },
    ],
  )

  expect(JSON.stringify(ordered)).toBe('[{"b":2,"a":{"d":2,"c":2,"e":2}},{"z":1,"y":1}]')
})
