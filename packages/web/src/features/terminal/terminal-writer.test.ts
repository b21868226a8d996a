import { expect, test } from 'vitest'
import { RawOutput } from '../../realtime/raw-output.ts'
import { TerminalWriter } from './terminal-writer.ts'

/** A terminal that parses when the test says so. */
class SlowTerminal {
  text = ''
  readonly #unparsed: { text: string; onParsed: (() => void) | undefined }[] = []

  write(text: string | Uint8Array, onParsed?: () => void): void {
    this.#unparsed.push({ text: String(text), onParsed })
  }

  reset(): void {
    this.text = ''
  }

  get unparsedLength(): number {
    return this.#unparsed.reduce((length, { text }) => length + text.length, 0)
  }

  parseAll(): void {
    for (let next = this.#unparsed.shift(); next; next = this.#unparsed.shift()) {
      this.text += next.text
      next.onParsed?.()
    }
  }
}

test('a terminal begins with what is kept and goes on with what comes', () => {
  const output = new RawOutput()
  const terminal = new SlowTerminal()
  output.write('before ')

  new TerminalWriter(terminal, output).start()
  output.write('after')
  terminal.parseAll()

  expect(terminal.text).toBe('before after')
})

test('a flood is skipped up to its newest output, and little of it waits', () => {
  const output = new RawOutput()
  const terminal = new SlowTerminal()
  new TerminalWriter(terminal, output).start()

  for (let line = 0; line < 100_000; line++) output.write(`line ${line}\r\n`)
  const unparsedLength = terminal.unparsedLength
  terminal.parseAll()
  output.write('calm again')
  terminal.parseAll()

  expect(unparsedLength).toBeLessThanOrEqual(512 * 1024)
  expect(terminal.text.length).toBeLessThanOrEqual(257 * 1024)
  expect(terminal.text).toMatch(/line 99999\r\ncalm again$/)
})

test('a character keeps a few marks, however many come and however they are split', () => {
  const output = new RawOutput()
  const terminal = new SlowTerminal()
  new TerminalWriter(terminal, output).start()

  output.write(`a${'\u0301'.repeat(10)}`)
  output.write('\u0301'.repeat(10))
  output.write(`${'\u200d'.repeat(1_000)}e\u0301`)
  terminal.parseAll()

  expect(terminal.text).toBe(`a${'\u0301'.repeat(16)}e\u0301`)
})

test('another console clears the terminal', () => {
  const output = new RawOutput()
  const terminal = new SlowTerminal()
  new TerminalWriter(terminal, output).start()
  output.write('old')
  terminal.parseAll()

  output.reset()
  output.write('new')
  terminal.parseAll()

  expect(terminal.text).toBe('new')
})

test('a closed terminal gets nothing more', () => {
  const output = new RawOutput()
  const terminal = new SlowTerminal()
  const writer = new TerminalWriter(terminal, output)
  writer.start()

  writer.close()
  output.write('late')

  expect(terminal.unparsedLength).toBe(0)
})
