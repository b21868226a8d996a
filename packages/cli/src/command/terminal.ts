import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'

/** Maximum length of the input. */
const inputBytes = 8_192

/** The command was used incorrectly. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The user pressed Ctrl-C. */
export class CanceledError extends Error {
  override readonly name = 'CanceledError'
}

interface Streams {
  readonly input: Readable & { readonly isTTY?: boolean | undefined }
  readonly output: Writable
  /** The stream for prompts, separate from the output, so that programs can read that. */
  readonly questions: Writable
}

export type Terminal = ReturnType<typeof getTerminal>

/** Input and output of a command. */
export function getTerminal({ input, output, questions }: Streams) {
  const isInteractive = input.isTTY === true

  /** Prompts for a line; a `secret` is not echoed. */
  async function ask(question: string, { secret = false } = {}): Promise<string> {
    const nowhere = new Writable({ write: (_part, _encoding, done) => done() })
    const lines = createInterface({ input, output: secret ? nowhere : questions, terminal: true, historySize: 0 })
    const interrupted = new AbortController()
    lines.once('SIGINT', () => interrupted.abort())
    // The end of the input cancels as well.
    lines.once('close', () => interrupted.abort())
    if (secret) questions.write(question)
    try {
      return await lines.question(secret ? '' : question, { signal: interrupted.signal })
    } catch (error) {
      throw interrupted.signal.aborted ? new CanceledError('Interrupted.', { cause: error }) : error
    } finally {
      lines.removeAllListeners('close').close()
      if (secret) questions.write('\n')
    }
  }

  return {
    say: (text: string): void => void output.write(`${printable(text)}\n`),

    /**
     * Reads a new password: prompted twice without echo on a terminal, else the first line of the input.
     * @throws UsageError when there is none, or the two differ
     */
    async newPassword(): Promise<string> {
      const password = isInteractive ? await ask('Password: ', { secret: true }) : await firstLine(input)
      if (password === '') throw new UsageError('The password must be on the first line of the input.')
      if (isInteractive && (await ask('Password again: ', { secret: true })) !== password) {
        throw new UsageError('The two passwords are not the same.')
      }
      return password
    },

    /** Reads an existing passphrase: prompted without echo on a terminal, else the first line of the input. */
    passphrase: (): Promise<string> => (isInteractive ? ask('Passphrase: ', { secret: true }) : firstLine(input)),

    /** Asks for confirmation; without a terminal it fails, and an option must be passed instead. */
    async confirm(question: string): Promise<boolean> {
      if (!isInteractive) throw new UsageError('Not a terminal; pass --yes.')
      return /^y(es)?$/i.test((await ask(`${question} [y/N] `)).trim())
    },
  }
}

/** Formats a table with columns as wide as necessary. */
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

/** Removes control characters, so that text of users cannot control this terminal. */
function printable(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '?')
}
