import { Refusal } from '@innkeeper/contract/errors/refusals'

/** The form field with the file. */
const field = 'file'

/** Maximum number of parts, and maximum size of a part's headers. */
const partsPerForm = 21
export const maxHeaderBytes = 16 * 1024

const headerEnd = Buffer.from('\r\n\r\n')
const none = Buffer.alloc(0)

const invalid = (message: string) => new Refusal('ErrFieldInvalid', { field }, { cause: new Error(message) })

/** Parses the boundary from a content type. Throws a refusal when it is not multipart/form-data. */
export function parseBoundary(type: string): string {
  const [, quoted, plain] = /^multipart\/form-data\s*;.*?\bboundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined || boundary.length > 200) throw invalid('The form has no boundary.')
  return boundary
}

/** Extracts content from a body. */
export interface BodyParser {
  /** Returns content of these or earlier bytes; valid until the next call. */
  push(bytes: Buffer): readonly Buffer[]
  /** Whether all content was received. */
  readonly isDone: boolean
  /** The body has ended. Throws a refusal when content is missing. */
  end(): void
}

/** Extracts the file from a multipart form (RFC 7578), streaming. Everything after the file is ignored. */
export class MultipartFileParser implements BodyParser {
  readonly #boundary: Buffer
  #state: 'part' | 'boundary' | 'headers' | 'file' | 'done' = 'part'
  #parts = 0
  /** Undecided bytes; the first boundary may be at the very start, without a preceding line break. */
  #rest: Buffer = Buffer.from('\r\n')

  constructor(boundary: string) {
    this.#boundary = Buffer.from(`\r\n--${boundary}`, 'latin1')
  }

  get isDone(): boolean {
    return this.#state === 'done'
  }

  /** Throws a refusal for an invalid form, or one without a file. */
  push(bytes: Buffer): readonly Buffer[] {
    const found: Buffer[] = []
    let rest: Buffer | undefined = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes
    this.#rest = none
    while (rest && !this.isDone) rest = this.#step(rest, found)
    return found
  }

  /** Throws a refusal when the file is incomplete. */
  end(): void {
    if (!this.isDone) throw invalid('The form is incomplete.')
  }

  /** Parses as far as possible. Returns the remaining bytes, or nothing when more input is needed. */
  #step(bytes: Buffer, found: Buffer[]): Buffer | undefined {
    switch (this.#state) {
      case 'boundary':
        if (bytes.length < 2) return this.#keep(bytes)
        if (bytes.toString('latin1', 0, 2) === '--' || ++this.#parts > partsPerForm) {
          throw new Refusal('ErrFieldRequired', { field })
        }
        this.#state = 'headers'
        return bytes
      case 'headers': {
        const at = bytes.indexOf(headerEnd)
        if ((at < 0 ? bytes.length - headerEnd.length : at) > maxHeaderBytes)
          throw invalid('The headers of a field are too long.')
        if (at < 0) return this.#keep(bytes)
        this.#state = isFile(bytes.toString('latin1', 0, at)) ? 'file' : 'part'
        return bytes.subarray(at + headerEnd.length)
      }
      default: {
        const at = bytes.indexOf(this.#boundary)
        const end = at >= 0 ? at : bytes.length - partialMatchLength(this.#boundary, bytes)
        if (this.#state === 'file' && end > 0) found.push(bytes.subarray(0, end))
        if (at < 0) return this.#keep(bytes.subarray(end))
        this.#state = this.#state === 'file' ? 'done' : 'boundary'
        return bytes.subarray(at + this.#boundary.length)
      }
    }
  }

  /** Copied: its memory is reused. */
  #keep(bytes: Buffer): undefined {
    this.#rest = Buffer.from(bytes)
  }
}

/** Length of the longest suffix that could be the start of a boundary. */
function partialMatchLength(mark: Buffer, bytes: Buffer): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length--) {
    const from = bytes.length - length
    if (bytes[from] === mark[0] && bytes.compare(mark, 0, length, from) === 0) return length
  }
  return 0
}

/** Whether a part is the file, by its headers: without a file name it is a text field. */
function isFile(head: string): boolean {
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  // Only whitespace is allowed after the boundary on its line.
  if (lines[0]?.trim() !== '') throw invalid('A field does not begin after its boundary.')
  const headers = new Map(lines.slice(1).map((line) => [nameIn(line), line.slice(line.indexOf(':') + 1).trim()]))
  const disposition = headers.get('content-disposition') ?? ''
  if (!/^form-data\s*(?:;|$)/i.test(disposition)) return false
  const input = parametersIn(disposition)
  const isBytes = /^application\/octet-stream\s*(?:;|$)/i.test(headers.get('content-type') ?? '')
  return input.get('name') === field && (isBytes || input.has('filename') || input.has('filename*'))
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
