import { archiveDamaged } from '../formats/archive-errors.ts'
import { decodeUtf8 } from '../formats/utf8.ts'

/** An entry in the list of 7-Zip. */
export interface ListedEntry {
  /** undefined when it is not valid UTF-8. */
  readonly name: string | undefined
  readonly kind: 'file' | 'folder' | 'other'
  readonly size: number
  readonly crc: number | undefined
  readonly mode: number | undefined
  readonly modified: Date | undefined
  readonly isEncrypted: boolean
}

/** Maximum length of a line: a name or a few words; 7-Zip replaces line breaks in names. */
const lineBytes = 64 * 1024

/** Parses a list of blocks of `Key = value` lines, separated by empty lines. */
export async function* parseList(text: AsyncIterable<Uint8Array>): AsyncGenerator<ListedEntry> {
  let fields = new Map<string, Buffer>()
  for await (const line of readLines(text)) {
    if (line.length === 0) {
      if (fields.has('Path')) yield parseEntry(fields)
      fields = new Map()
      continue
    }
    const at = line.indexOf(' =')
    if (at > 0) fields.set(line.toString('latin1', 0, at), line.subarray(at + 3))
  }
  if (fields.has('Path')) yield parseEntry(fields)
}

async function* readLines(text: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of text) {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk)
    for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
      yield rest.subarray(0, end)
      rest = rest.subarray(end + 1)
    }
    if (rest.length > lineBytes) throw archiveDamaged('its list of files cannot be parsed')
  }
  if (rest.length > 0) yield rest
}

function parseEntry(fields: ReadonlyMap<string, Buffer>): ListedEntry {
  const value = (key: string) => fields.get(key)?.toString('latin1') ?? ''
  const crc = value('CRC')
  return {
    name: decodeUtf8(fields.get('Path') ?? Buffer.alloc(0)),
    kind: getKind(value),
    size: Number(value('Size')) || 0,
    crc: /^[0-9A-F]{8}$/.test(crc) ? Number.parseInt(crc, 16) : undefined,
    mode: findMode(value('Attributes')),
    modified: findTime(value('Modified')),
    isEncrypted: value('Encrypted') === '+',
  }
}

function getKind(value: (key: string) => string): ListedEntry['kind'] {
  if (['Symbolic Link', 'Hard Link', 'Copy Link'].some((key) => value(key) !== '')) return 'other'
  if (value('Anti') === '+' || value('Alternate Stream') === '+') return 'other'
  const attributes = value('Attributes')
  const unix = unixMode.exec(attributes)?.groups?.kind
  if (unix) return unix === '-' ? 'file' : unix === 'd' ? 'folder' : 'other'
  // Windows attributes: L is a reparse point.
  if (/^[A-Z]*L/.test(attributes)) return 'other'
  return value('Folder') === '+' || /^[A-Z]*D/.test(attributes) ? 'folder' : 'file'
}

const unixMode = /(?:^|\s)(?<kind>[-dlcbpsnD?])(?<bits>[-rwxsStTl]{9})$/

function findMode(attributes: string): number | undefined {
  const bits = unixMode.exec(attributes)?.groups?.bits
  if (!bits) return undefined
  return [...bits].reduce((mode, letter, at) => (/[rwxst]/.test(letter) ? mode | (0o400 >> at) : mode), 0)
}

function findTime(text: string): Date | undefined {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,3})?)/.exec(text) ?? []
  if (!day || !clock) return undefined
  // In the local time zone.
  const time = new Date(`${day}T${clock}`)
  return Number.isNaN(time.getTime()) ? undefined : time
}
