import { Terminal } from '@xterm/xterm'
import { expect, test } from 'vitest'
import { ignoreHarmfulOutput } from './hostile-output.ts'

function openTerminal() {
  const terminal = new Terminal({ cols: 80, rows: 24, scrollback: 100 })
  ignoreHarmfulOutput(terminal)
  const typed: string[] = []
  const titles: string[] = []
  terminal.onData((data) => typed.push(data))
  terminal.onBinary((data) => typed.push(data))
  terminal.onTitleChange((title) => titles.push(title))
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))
  const line = (number: number) => terminal.buffer.active.getLine(number)?.translateToString(true)
  return { terminal, typed, titles, write, line }
}

const characters = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index))

const prefixes = ['', '?', '>', '=', '<']
const intermediates = ['', ...characters(0x20, 0x2f)]
const finals = characters(0x40, 0x7e)

function everyControlSequence(start: string, parameters: string, end = ''): string {
  const sequences = prefixes.flatMap((prefix) =>
    intermediates.flatMap((intermediate) =>
      finals.map((final) => `${start}${prefix}${parameters}${intermediate}${final}${end}`),
    ),
  )
  return sequences.join('')
}

test.each(['', '0', '1', '5', '6', '14', '15', '16', '18', '21', '996', '1004', '2004', '2026'])(
  'no control sequence with the parameter "%s" types anything',
  async (parameters) => {
    const { typed, write } = openTerminal()

    await write(everyControlSequence('\x1b[', parameters))
    await write(everyControlSequence('\x9b', parameters))

    expect(typed).toEqual([])
  },
)

test('no device control, escape or control character types anything', async () => {
  const { typed, write } = openTerminal()

  for (const data of ['', 'm', '"p', 'r', ' q', '544e']) await write(everyControlSequence('\x1bP', '', `${data}\x1b\\`))
  await write(finals.map((final) => `\x1b${final}\x1b\\`).join(''))
  await write(characters(0, 0x1f).join(''))

  expect(typed).toEqual([])
})

test('no command with a text types anything, sets a title or makes a link', async () => {
  const { terminal, typed, titles, write, line } = openTerminal()

  const commands = Array.from({ length: 2_000 }, (_, command) => `\x1b]${command};?\x07\x1b]${command};0;?\x1b\\`)
  await write(commands.join(''))
  await write('\x1bc\x1b]8;;javascript:alert(1)\x07a link\x1b]8;;\x07 \x1b]52;c;aGVsbG8=\x07\x1b]52;c;?\x07')

  expect(typed).toEqual([])
  expect(titles).toEqual([])
  expect(line(0)).toBe('a link ')
  expect(terminal.buffer.active.getLine(0)?.getCell(0)?.isFgDefault()).toBe(true)
})

test('focus reports stay off', async () => {
  const { terminal, write } = openTerminal()

  await write('\x1b[?1004h\x1b[?1000;1004h')

  expect(terminal.modes.sendFocusMode).toBe(false)
})

test('a repetition of two thousand million takes no time and no memory', async () => {
  const { write, line } = openTerminal()

  await write(`x${everyControlSequence('\x1b[', '2147483647')}`)
  await write('\x1bcstill here')

  expect(line(0)).toBe('still here')
}, 10_000)

test('lines are inserted at most once for each row', async () => {
  const { write, line } = openTerminal()

  await write('top\r\x1b[24L\x1b[Htop again\r\x1b[25L')

  expect(line(0)).toBe('top again')
})

test('programs that draw whole screens work: scroll regions, inserted lines, repeated characters, the other screen', async () => {
  const { terminal, write, line } = openTerminal()

  await write('\x1b[?1049h\x1b[2;5r\x1b[2Htwo\x1b[2L\x1b[Hab\x1b[3b\x1b[?1h\x1b[?1000h\x1b[?1006h')

  expect(terminal.buffer.active.type).toBe('alternate')
  expect(line(0)).toBe('abbbb')
  expect(line(3)).toBe('two')
  expect(terminal.modes.applicationCursorKeysMode).toBe(true)
  expect(terminal.modes.mouseTrackingMode).toBe('vt200')
})
