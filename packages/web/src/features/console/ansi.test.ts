import { expect, test } from 'vitest'
import { applySgr, defaultStyle, getStyleAfter, parseLine, stripAnsi } from './ansi.ts'

const esc = '\x1b'

function styled(line: string) {
  return parseLine(line, defaultStyle).spans.map(({ text, style }) => [text, style])
}

test('colors and text attributes become spans with their offset in the plain text', () => {
  const { spans } = parseLine(`plain ${esc}[31;1mred${esc}[0m end`, defaultStyle)

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
])('SGR parameters "%s"', (parameters, style) => {
  expect(applySgr(defaultStyle, parameters)).toEqual(style)
})

test('resetting one attribute keeps the others', () => {
  expect(applySgr({ bold: true, italic: true, color: 3 }, '22;39')).toEqual({ italic: true })
})

test('a color that is not reset continues in the next line', () => {
  const first = parseLine(`${esc}[33mwarned`, defaultStyle)

  expect(getStyleAfter(`${esc}[33mwarned`, defaultStyle)).toEqual({ color: 3 })
  expect(parseLine('and on', first.style).spans).toEqual([{ text: 'and on', style: { color: 3 }, start: 0 }])
})

test.each([
  ['a window title', `a${esc}]0;evil title\x07b`],
  ['a clipboard write', `a${esc}]52;c;ZXZpbA==${esc}\\b`],
  ['a hyperlink', `a${esc}]8;;javascript:alert(1)\x07b`],
  ['a hyperlink with a one-byte introducer', 'a\x9d8;;http://x\x9cb'],
  ['a device query', `a${esc}[c${esc}[6n${esc}[?1049$pb`],
  ['a device control string', `a${esc}P+q544e${esc}\\b`],
  ['a cursor move', `a${esc}[2J${esc}[10;20Hb`],
  ['a private mode', `a${esc}[?2004hb`],
  ['a character set', `a${esc}(Bb`],
  ['a bell and other controls', 'a\x07\x00\x7fb'],
  ['a key pad mode', `a${esc}=b`],
  ['a privacy message', `a${esc}^secret${esc}\\b`],
])('%s is dropped', (_, line) => {
  expect(stripAnsi(line)).toBe('ab')
})

test.each([
  ['a color', `text${esc}[38;5`],
  ['a title', `text${esc}]0;half a title`],
  ['anything', `text${esc}`],
])('a sequence for %s that is cut off at the end of the line is dropped', (_, line) => {
  expect(stripAnsi(line)).toBe('text')
})

test('a carriage return inside a line overwrites it', () => {
  expect(stripAnsi('10 %\r20 %\r30 %')).toBe('30 %')
})

test('a carriage return at the end of a line keeps the text', () => {
  expect(stripAnsi('100 %\r')).toBe('100 %')
})

test('a move to the first column overwrites the line and keeps the color', () => {
  expect(styled(`${esc}[32m10 %${esc}[1G${esc}[0J> `)).toEqual([['> ', { color: 2 }]])
})

test('a backspace removes one character, also a wide one', () => {
  expect(stripAnsi('ab👍\b\bc')).toBe('ac')
})

test('tabs are kept', () => {
  expect(stripAnsi('a\tb')).toBe('a\tb')
})

test('HTML is plain text', () => {
  expect(stripAnsi('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>')
})

test('parsing time of broken sequences is linear', () => {
  const hostile = `${esc}[`.repeat(20_000) + `${esc}]`.repeat(20_000)

  expect(stripAnsi(hostile).length).toBeLessThan(hostile.length)
})
