import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { WrongUsage } from './command.ts'

/** More than any password, and little enough to hold. */
const inputBytes = 8_192

/** The person at the terminal pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

interface Streams {
  readonly input: Readable & { readonly isTTY?: boolean | undefined }
  readonly output: Writable
  /** For questions: what a program reads of the output is not disturbed by them. */
  readonly questions: Writable
}

export type Terminal = ReturnType<typeof terminalOf>

/** How a command speaks with whoever typed it. */
export function terminalOf({ input, output, questions }: Streams) {
  const isPerson = input.isTTY === true

  /** Asks one question; what is typed is not shown when it is `secret`. */
  async function ask(question: string, { secret = false } = {}): Promise<string> {
    const nowhere = new Writable({ write: (_part, _encoding, done) => done() })
    const lines = createInterface({ input, output: secret ? nowhere : questions, terminal: true, historySize: 0 })
    const interrupted = new AbortController()
    lines.once('SIGINT', () => interrupted.abort())
    // The end of the input, too, is no answer.
    lines.once('close', () => interrupted.abort())
    if (secret) questions.write(question)
    try {
      return await lines.question(secret ? '' : question, { signal: interrupted.signal })
    } catch (error) {
      throw interrupted.signal.aborted ? new Interrupted('Interrupted.', { cause: error }) : error
    } finally {
      lines.removeAllListeners('close').close()
      if (secret) questions.write('\n')
    }
  }

  return {
    isPerson,

    say: (text: string): void => void output.write(`${printable(text)}\n`),

    /**
     * A new password: from a person twice and unseen, else the first line of the input.
     * @throws WrongUsage when there is none, or the two are not the same.
     */
    async newPassword(): Promise<string> {
      const password = isPerson ? await ask('Password: ', { secret: true }) : await firstLine(input)
      if (password === '') throw new WrongUsage('A password is expected on the input.')
      if (isPerson && (await ask('Password again: ', { secret: true })) !== password) {
        throw new WrongUsage('The two passwords are not the same.')
      }
      return password
    },

    /** Whether the person says yes; anybody else has to say so beforehand, with an option. */
    async agrees(question: string): Promise<boolean> {
      if (!isPerson) throw new WrongUsage('Nobody is there to be asked: say --yes to go on.')
      return /^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim())
    },
  }
}

/** Names and addresses in columns, as wide as they need to be. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
      .join('  ')
      .trimEnd()
  return all.map(line).join('\n')
}

async function firstLine(input: Readable): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of input as AsyncIterable<Buffer | string>) {
    parts.push(Buffer.from(part))
    bytes += part.length
    if (bytes > inputBytes || part.includes('\n')) break
  }
  const [line = ''] = Buffer.concat(parts).toString('utf8').split('\n')
  return line.replace(/\r$/, '')
}

/** What people typed elsewhere must not steer this terminal. */
function printable(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '?')
}
