import { expect, test } from 'vitest'
import { plain, restyled, spansOf, styleAfter, textOf } from './ansi.ts'

const esc = '\x1b'

function styled(line: string) {
  return spansOf(line, plain).spans.map(({ text, style }) => [text, style])
}

test('colours and letter forms become spans, with their place in the plain text', () => {
  const { spans } = spansOf(`plain ${esc}[31;1mred${esc}[0m end`, plain)

  expect(spans).toEqual([
    { text: 'plain ', style: {}, start: 0 },
    { text: 'red', style: { color: 1, bold: true }, start: 6 },
    { text: ' end', style: {}, start: 9 },
  ])
})

test.each([
  ['31', { color: 1 }],
  ['92', { color: 10 }],
  ['103', { background: 11 }],
  ['38;5;9', { color: 9 }],
  ['38;5;196', { color: [255, 0, 0] }],
  ['48;5;244', { background: [128, 128, 128] }],
  ['38;2;1;2;300', { color: [1, 2, 255] }],
  ['38:5:21', { color: [0, 0, 255] }],
  ['3;4;7;9', { italic: true, underline: true, inverse: true, strike: true }],
  ['1;38;5;12;4', { bold: true, color: 12, underline: true }],
  ['', {}],
  ['38;5;999', {}],
])('the parameters "%s" give their style', (parameters, style) => {
  expect(restyled(plain, parameters)).toEqual(style)
})

test('a reset of one form leaves the others', () => {
  expect(restyled({ bold: true, italic: true, color: 3 }, '22;39')).toEqual({ italic: true })
})

test('a colour that is not ended goes on in the next line', () => {
  const first = spansOf(`${esc}[33mwarned`, plain)

  expect(styleAfter(`${esc}[33mwarned`, plain)).toEqual({ color: 3 })
  expect(spansOf('and on', first.style).spans).toEqual([{ text: 'and on', style: { color: 3 }, start: 0 }])
})

test.each([
  ['a window title', `a${esc}]0;evil title\x07b`],
  ['a clipboard write', `a${esc}]52;c;ZXZpbA==${esc}\\b`],
  ['a hyperlink', `a${esc}]8;;javascript:alert(1)\x07b`],
  ['a hyperlink of one byte introducer', 'a\x9d8;;http://x\x9cb'],
  ['a device query', `a${esc}[c${esc}[6n${esc}[?1049$pb`],
  ['a device control string', `a${esc}P+q544e${esc}\\b`],
  ['a cursor move', `a${esc}[2J${esc}[10;20Hb`],
  ['a private mode', `a${esc}[?2004hb`],
  ['a character set', `a${esc}(Bb`],
  ['a bell and other controls', 'a\x07\x00\x7fb'],
  ['a key pad mode', `a${esc}=b`],
  ['a privacy message', `a${esc}^secret${esc}\\b`],
])('%s is dropped', (_, line) => {
  expect(textOf(line)).toBe('ab')
})

test.each([
  ['of a colour', `text${esc}[38;5`],
  ['of a title', `text${esc}]0;half a title`],
  ['of anything', `text${esc}`],
])('the beginning %s that is cut off at the end of a line shows nothing', (_, line) => {
  expect(textOf(line)).toBe('text')
})

test('a lone carriage return writes over the line', () => {
  expect(textOf('10 %\r20 %\r30 %')).toBe('30 %')
})

test('a carriage return at the end takes nothing away', () => {
  expect(textOf('100 %\r')).toBe('100 %')
})

test('a return to the first column writes over the line, and keeps the colour', () => {
  expect(styled(`${esc}[32m10 %${esc}[1G${esc}[0J> `)).toEqual([['> ', { color: 2 }]])
})

test('a backspace takes back one character, also a wide one', () => {
  expect(textOf('ab👍\b\bc')).toBe('ac')
})

test('tabs stay', () => {
  expect(textOf('a\tb')).toBe('a\tb')
})

test('markup is only text', () => {
  expect(textOf('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>')
})

test('a long run of broken sequences is read in time that grows with its length', () => {
  const hostile = `${esc}[`.repeat(20_000) + `${esc}]`.repeat(20_000)

  expect(textOf(hostile).length).toBeLessThan(hostile.length)
})
