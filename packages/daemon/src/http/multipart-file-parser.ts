import { Refusal } from '@innkeeper/contract/refusals'

/** The field of a form that a file is sent in. */
const field = 'file'

/** What a form may hold beside the file, and the largest head of a part. */
const partsPerForm = 21
const maxHeaderBytes = 16 * 1024

const headerEnd = Buffer.from('\r\n\r\n')
const none = Buffer.alloc(0)

const invalid = (message: string) => new Refusal('ErrFieldInvalid', { field }, { cause: new Error(message) })

/** What parts the fields of a form, from its content type. @throws Refusal when that is not one of a form. */
export function parseBoundary(type: string): string {
  const [, quoted, plain] = /^multipart\/form-data\s*;.*?\bboundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined || boundary.length > 200) throw invalid('The form says no boundary.')
  return boundary
}

/** Finds what is wanted in what comes. */
export interface BodyParser {
  /** What is wanted of the next bytes, or of those that were held back before; good until the next call. */
  push(bytes: Buffer): readonly Buffer[]
  /** Whether nothing more is wanted. */
  readonly isDone: boolean
  /** Nothing more comes. @throws Refusal when something lacks. */
  end(): void
}

/** The file in a form (RFC 7578), as the form comes. What comes after the file is left. */
export class MultipartFileParser implements BodyParser {
  readonly #mark: Buffer
  #is: 'in a part' | 'behind a mark' | 'in a head' | 'in the file' | 'behind the file' = 'in a part'
  #parts = 0
  /** What came and cannot be told yet; the first mark may stand at the very beginning, without a line before it. */
  #rest: Buffer = Buffer.from('\r\n')

  constructor(boundary: string) {
    this.#mark = Buffer.from(`\r\n--${boundary}`, 'latin1')
  }

  get isDone(): boolean {
    return this.#is === 'behind the file'
  }

  /** @throws Refusal for a form that is none, or has no file. */
  push(bytes: Buffer): readonly Buffer[] {
    const found: Buffer[] = []
    let rest: Buffer | undefined = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes
    this.#rest = none
    while (rest && !this.isDone) rest = this.#step(rest, found)
    return found
  }

  /** @throws Refusal when the file is not whole. */
  end(): void {
    if (!this.isDone) throw invalid('The form is not whole.')
  }

  /** Goes on as far as it can be told what is what; says what comes behind that, or nothing when more has to come first. */
  #step(bytes: Buffer, found: Buffer[]): Buffer | undefined {
    switch (this.#is) {
      case 'behind a mark':
        if (bytes.length < 2) return this.#keep(bytes)
        if (bytes.toString('latin1', 0, 2) === '--' || ++this.#parts > partsPerForm) {
          throw new Refusal('ErrFieldRequired', { field })
        }
        this.#is = 'in a head'
        return bytes
      case 'in a head': {
        const at = bytes.indexOf(headerEnd)
        if ((at < 0 ? bytes.length - headerEnd.length : at) > maxHeaderBytes)
          throw invalid('The head of a field is too long.')
        if (at < 0) return this.#keep(bytes)
        this.#is = isFile(bytes.toString('latin1', 0, at)) ? 'in the file' : 'in a part'
        return bytes.subarray(at + headerEnd.length)
      }
      default: {
        const at = bytes.indexOf(this.#mark)
        const end = at >= 0 ? at : bytes.length - partialMatchLength(this.#mark, bytes)
        if (this.#is === 'in the file' && end > 0) found.push(bytes.subarray(0, end))
        if (at < 0) return this.#keep(bytes.subarray(end))
        this.#is = this.#is === 'in the file' ? 'behind the file' : 'behind a mark'
        return bytes.subarray(at + this.#mark.length)
      }
    }
  }

  /** Its memory is used again. */
  #keep(bytes: Buffer): undefined {
    this.#rest = Buffer.from(bytes)
  }
}

/** How many bytes at the end could be the beginning of a mark. */
function partialMatchLength(mark: Buffer, bytes: Buffer): number {
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
