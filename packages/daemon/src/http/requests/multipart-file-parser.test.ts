import { expect, test } from 'vitest'
import { readRefusal } from '../../testing/test-directory.ts'
import { MultipartFileParser, parseBoundary } from './multipart-file-parser.ts'

const boundary = '-----x9'
const content = Buffer.from(`one\r\n--${boundary.slice(0, 4)}\r\n\r\r\n\r\n-\xff\x00 two\r`, 'latin1')

/** A multipart form with headers for each part. */
function getForm(parts: readonly (readonly [head: string, content: Buffer | string])[], ending = '--\r\n'): Buffer {
  const whole = parts.flatMap(([head, bytes]) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...whole, Buffer.from(`--${boundary}${ending}`)])
}

/** The file in a form that is parsed in pieces, whose memory is reused. */
function fileIn(form: Buffer, size: number): Buffer {
  const parts: Buffer[] = []
  const parser = new MultipartFileParser(boundary)
  for (let at = 0; at < form.length && !parser.isDone; at += size) {
    const piece = Buffer.from(form.subarray(at, at + size))
    parts.push(...parser.push(piece).map((part) => Buffer.from(part)))
    piece.fill('!')
  }
  parser.end()
  return Buffer.concat(parts)
}

test.for([
  ['as browsers write it', 'Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain'],
  [
    'with its headers in another order',
    'X: y\r\ncontent-type:text/plain\r\ncontent-disposition:form-data;name=file;filename=a',
  ],
  ['with odd names', 'Content-Disposition: form-data; filename="a; name=\\"b\\".txt"; name="file"'],
  ['with a name in another charset', 'Content-Disposition: form-data; name="file"; filename*=UTF-8\'\'%e2%82%ac'],
  ['with a name in bytes', 'Content-Disposition: form-data; name="file"; filename="schön.txt"'],
  ['with a line that is folded', 'Content-Disposition: form-data;\r\n name="file";\r\n\tfilename="a"'],
  ['without a name', 'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream'],
])('a file %s is found, however its form is split into pieces', ([, head = '']) => {
  const form = getForm([
    ['Content-Disposition: form-data; name="note"', 'before'],
    ['Content-Disposition: form-data; name="other"; filename="file"', content],
    [head, content],
    ['Content-Disposition: form-data; name="file"; filename="b"', 'a second one'],
  ])

  for (const size of [1, 2, 3, 7, 64, form.length]) expect(fileIn(form, size).equals(content)).toBe(true)
})

test('the preamble and epilogue are ignored', async () => {
  const form = getForm([['Content-Disposition: form-data; name="file"; filename="a"', content]])
  const around = Buffer.concat([Buffer.from(`preamble --${boundary}x\r\n`), form, Buffer.from('epilogue')])

  for (const size of [1, 5, around.length]) expect(fileIn(around, size).equals(content)).toBe(true)
})

test('a file may be empty', async () => {
  const form = getForm([['Content-Disposition: form-data; name="file"; filename="a"', '']])

  for (const size of [1, 5, form.length]) expect(fileIn(form, size).length).toBe(0)
})

test.for([
  ['no parts', getForm([]), 'ErrFieldRequired'],
  ['no file', getForm([['Content-Disposition: form-data; name="a"; filename="a"', 'x']]), 'ErrFieldRequired'],
  ['a text for a file', getForm([['Content-Disposition: form-data; name="file"', 'x']]), 'ErrFieldRequired'],
  ['parts that are not form fields', getForm([['Content-Type: text/plain', 'x']]), 'ErrFieldRequired'],
  ['too many fields', getForm(Array(30).fill(['Content-Disposition: form-data; name="a"', 'x'])), 'ErrFieldRequired'],
  [
    'no end',
    getForm([['Content-Disposition: form-data; name="file"; filename="a"', 'x']]).subarray(0, -14),
    'ErrFieldInvalid',
  ],
  ['half a head', Buffer.from(`--${boundary}\r\nContent-Disposition: form`), 'ErrFieldInvalid'],
  ['a head without end', Buffer.from(`--${boundary}\r\n${'x'.repeat(100_000)}`), 'ErrFieldInvalid'],
  ['no boundary', Buffer.from('x'), 'ErrFieldInvalid'],
  ['nothing', Buffer.alloc(0), 'ErrFieldInvalid'],
] as const)('a form with %s is refused', async ([, form, refusal]) => {
  for (const size of [1, 1000]) expect(await readRefusal((async () => fileIn(form, size))())).toBe(refusal)
})

test('the boundary is parsed from the content type', async () => {
  expect(parseBoundary('multipart/form-data; boundary=abc')).toBe('abc')
  expect(parseBoundary('Multipart/Form-Data;charset=utf-8;Boundary="a b;c"; x=y')).toBe('a b;c')
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/mixed; boundary=abc']) {
    expect(await readRefusal((async () => parseBoundary(type))())).toBe('ErrFieldInvalid')
  }
})
