/** Encodes tar headers (ustar, with pax records for what does not fit). */

export interface TarEntry {
  /** With `/` separators; the name of a directory ends with one. */
  readonly name: string
  readonly modified: Date
  /** Permission bits. */
  readonly mode: number
  readonly isFolder: boolean
  readonly size: number
}

const recordBytes = 512
const nameBytes = 100
const maxOctalSize = 0o77777777777

/** The end of a tar: two zero records. */
export const tarEnd = Buffer.alloc(2 * recordBytes)

/** Precedes the content of an entry. */
export function tarHeader(entry: TarEntry): Buffer {
  const records: [key: string, value: string][] = []
  if (Buffer.byteLength(entry.name) > nameBytes || /[^\x20-\x7e]/.test(entry.name)) records.push(['path', entry.name])
  if (entry.size > maxOctalSize) records.push(['size', String(entry.size)])
  const type = entry.isFolder ? '5' : '0'
  if (records.length === 0) return ustar(entry, type)

  const values = Buffer.from(records.map(paxRecord).join(''))
  const about = { ...entry, name: 'PaxHeader', size: values.length, mode: 0o644 }
  return Buffer.concat([ustar(about, 'x'), values, tarPadding(values.length), ustar(entry, type)])
}

/** Pads the content to full records. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((recordBytes - (size % recordBytes)) % recordBytes)
}

function ustar({ name, modified, mode, size }: TarEntry, type: string): Buffer {
  const header = Buffer.alloc(recordBytes)
  header.write(name.replace(/[^\x20-\x7e]/g, '_').slice(-nameBytes), 0, 'latin1')
  header.write(octal(mode, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(Math.min(size, maxOctalSize), 12), 124)
  header.write(octal(Math.min(Math.max(Math.floor(modified.getTime() / 1000), 0), maxOctalSize), 12), 136)
  header.write(' '.repeat(8), 148)
  header.write(type, 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

function octal(value: number, length: number): string {
  return `${value.toString(8).padStart(length - 1, '0')}\0`
}

/** `12 path=a.txt\n`: the length comes first and includes itself. */
function paxRecord([key, value]: [string, string]): string {
  const idle = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(idle)
  let length = bytes + String(bytes).length
  if (bytes + String(length).length > length) length = bytes + String(length).length
  return `${length}${idle}`
}
