import { ThemeError } from './theme-error.ts'

/** A file of an archive. */
export interface TarFile {
  readonly name: string
  readonly bytes: Uint8Array
}

const blockBytes = 512
/** Limits of a theme's archive. */
export const tarLimits = { archiveBytes: 2 * 1024 * 1024, files: 64, nameLength: 100 } as const

/** One or more path segments, none of which is `.` or `..`. */
const safeName = /^(?!\.{1,2}(?:\/|$))[\w .-]+(?:\/(?!\.{1,2}(?:\/|$))[\w .-]+)*$/
const [regularFile, oldRegularFile, folder] = ['0', '\0', '5']

/**
 * Reads a ustar archive, block by block. Folders are skipped; links, devices and extended headers are refused.
 * @throws ThemeError
 */
export function readTar(archive: Uint8Array): readonly TarFile[] {
  if (archive.length > tarLimits.archiveBytes) throw new ThemeError('archiveTooLarge')
  if (archive.length % blockBytes !== 0 || archive.length === 0) throw new ThemeError('notTar')
  const files = new Map<string, TarFile>()
  for (let offset = 0; offset < archive.length; ) {
    const header = archive.subarray(offset, offset + blockBytes)
    offset += blockBytes
    // The archive ends with blocks of zeros.
    if (header.every((byte) => byte === 0)) break
    const { name, size, type } = readHeader(header)
    if (type === folder && size === 0) continue
    if (type !== regularFile && type !== oldRegularFile) throw new ThemeError('entryType', name)
    if (offset + size > archive.length) throw new ThemeError('truncated', name)
    if (files.has(name)) throw new ThemeError('duplicate', name)
    files.set(name, { name, bytes: archive.slice(offset, offset + size) })
    if (files.size > tarLimits.files) throw new ThemeError('tooManyFiles')
    offset += Math.ceil(size / blockBytes) * blockBytes
  }
  return [...files.values()]
}

interface Header {
  readonly name: string
  readonly size: number
  readonly type: string
}

/** Reads the fields of a header block (POSIX.1-1988, ustar). @throws ThemeError */
function readHeader(header: Uint8Array): Header {
  const prefix = readText(header, 345, 155)
  const path = readText(header, 0, 100)
  const name = (prefix === '' ? path : `${prefix}/${path}`).replace(/^\.\//, '').replace(/\/$/, '')
  if (checksum(header) !== readOctal(header, 148, 8))
    throw new ThemeError('checksum', name.slice(0, tarLimits.nameLength))
  const type = String.fromCharCode(header[156] ?? 0)
  if (type === folder && (name === '' || name === '.')) return { name, size: 0, type }
  if (name.length > tarLimits.nameLength || !safeName.test(name)) throw new ThemeError('fileName', name.slice(0, 40))
  const size = readOctal(header, 124, 12)
  if (size === undefined) throw new ThemeError('notTar')
  return { name, size, type }
}

/** The sum of all bytes, with those of the checksum itself counted as blanks. */
function checksum(header: Uint8Array): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 0x20 : byte), 0)
}

function readText(header: Uint8Array, offset: number, length: number): string {
  const field = header.subarray(offset, offset + length)
  const end = field.indexOf(0)
  const used = end < 0 ? field : field.subarray(0, end)
  return String.fromCharCode(...used)
}

function readOctal(header: Uint8Array, offset: number, length: number): number | undefined {
  const text = readText(header, offset, length).trim()
  return /^[0-7]{1,11}$/.test(text) ? Number.parseInt(text, 8) : undefined
}

/** Packs files as a ustar archive. */
export function writeTar(files: readonly TarFile[]): Uint8Array<ArrayBuffer> {
  const blocks = files.reduce((sum, { bytes }) => sum + 1 + Math.ceil(bytes.length / blockBytes), 2)
  const archive = new Uint8Array(blocks * blockBytes)
  let offset = 0
  for (const { name, bytes } of files) {
    archive.set(formatHeader(name, bytes.length), offset)
    archive.set(bytes, offset + blockBytes)
    offset += (1 + Math.ceil(bytes.length / blockBytes)) * blockBytes
  }
  return archive
}

function formatHeader(name: string, size: number): Uint8Array {
  const header = new Uint8Array(blockBytes)
  const write = (offset: number, text: string) => header.set(new TextEncoder().encode(text), offset)
  const writeOctal = (offset: number, length: number, value: number) =>
    write(offset, value.toString(8).padStart(length - 1, '0'))
  write(0, name)
  writeOctal(100, 8, 0o644)
  writeOctal(108, 8, 0)
  writeOctal(116, 8, 0)
  writeOctal(124, 12, size)
  writeOctal(136, 12, 0)
  write(156, regularFile)
  write(257, 'ustar\0')
  write(263, '00')
  write(148, `${checksum(header).toString(8).padStart(6, '0')}\0 `)
  return header
}
