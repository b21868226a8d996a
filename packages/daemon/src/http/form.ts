import { Refusal } from '@innkeeper/contract/refusals'

/** The field of a form that a file is sent in. */
const field = 'file'

/** What a form may hold beside the file, and the largest head of a part. */
const partsPerForm = 21
const headBytes = 16 * 1024

const headEnd = Buffer.from('\r\n\r\n')

const invalid = (message: string) => new Refusal('ErrFieldInvalid', { field }, { cause: new Error(message) })

/** What parts the fields of a form, from its content type. @throws Refusal when that is not one of a form. */
export function boundaryIn(type: string): string {
  const [, quoted, plain] = /^multipart\/form-data\s*;.*?\bboundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined || boundary.length > 200) throw invalid('The form says no boundary.')
  return boundary
}

/**
 * The bytes of the file in a form (RFC 7578), in the parts in which they come: to hand them from stream to stream costs
 * more than to find its end. A part is good until the next one is asked for, as those of the body. What comes after the
 * file is left.
 */
export async function* fileInForm(
  body: AsyncIterator<Buffer> & AsyncIterable<Buffer>,
  boundary: string,
): AsyncGenerator<Buffer> {
  const form = new Form(body)
  try {
    const mark = Buffer.from(`\r\n--${boundary}`, 'latin1')
    await drained(form.upTo(mark))
    for (let parts = 0; parts < partsPerForm && !(await form.isAtEnd()); parts++) {
      if (isFile(await form.head())) return yield* form.upTo(mark)
      await drained(form.upTo(mark))
    }
    throw new Refusal('ErrFieldRequired', { field })
  } finally {
    await body.return?.()
  }
}

/** A form as far as it was read. */
class Form {
  readonly #body: AsyncIterator<Buffer>
  /** What was read and not looked at; the first mark may stand at the very beginning, without a line before it. */
  #rest: Buffer = Buffer.from('\r\n')

  constructor(body: AsyncIterator<Buffer>) {
    this.#body = body
  }

  /** All up to a mark, and over it. */
  async *upTo(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#rest.indexOf(mark)
      const end = at >= 0 ? at : this.#rest.length - beginningAtEnd(mark, this.#rest)
      if (end > 0) yield this.#rest.subarray(0, end)
      if (at >= 0) {
        this.#rest = this.#rest.subarray(at + mark.length)
        return
      }
      this.#rest = this.#rest.subarray(end)
      await this.#read()
    }
  }

  /** Behind a mark: whether it is the last one. */
  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length < 2) await this.#read()
    return this.#rest.toString('latin1', 0, 2) === '--'
  }

  /** The head of a part, behind its mark. */
  async head(): Promise<string> {
    let text = ''
    for await (const part of this.upTo(headEnd)) {
      text += part.toString('latin1')
      if (text.length > headBytes) throw invalid('The head of a field is too long.')
    }
    return text
  }

  /** Reads on, behind what is left. */
  async #read(): Promise<void> {
    // Before its memory is used again.
    const rest = Buffer.from(this.#rest)
    const { done, value } = await this.#body.next()
    if (done) throw invalid('The form is not whole.')
    this.#rest = rest.length > 0 ? Buffer.concat([rest, value]) : value
  }
}

/** How many bytes at the end could be the beginning of a mark. */
function beginningAtEnd(mark: Buffer, bytes: Buffer): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length--) {
    const from = bytes.length - length
    if (bytes[from] === mark[0] && bytes.compare(mark, 0, length, from) === 0) return length
  }
  return 0
}

/** Whether a part is the file, by its head: a field of that name alone is text. */
function isFile(head: string): boolean {
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  // What stands behind the mark on its own line are at most blanks.
  if (lines[0]?.trim() !== '') throw invalid('A field does not begin behind its boundary.')
  const headers = new Map(lines.slice(1).map((line) => [nameIn(line), line.slice(line.indexOf(':') + 1).trim()]))
  const disposition = headers.get('content-disposition') ?? ''
  if (!/^form-data\s*(?:;|$)/i.test(disposition)) return false
  const given = parametersIn(disposition)
  const isBytes = /^application\/octet-stream\s*(?:;|$)/i.test(headers.get('content-type') ?? '')
  return given.get('name') === field && (isBytes || given.has('filename') || given.has('filename*'))
}

const nameIn = (line: string): string => line.slice(0, Math.max(0, line.indexOf(':'))).toLowerCase()

function parametersIn(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/g)
  return new Map(
    [...found].map(([, name = '', quoted, plain = '']) => [
      name.toLowerCase(),
      quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1'),
    ]),
  )
}

async function drained(parts: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of parts) {
    // It goes nowhere.
  }
}
