/** Encodes the headers of a zip file. Uses zip64 where values need it. */

/** The header data of one file or directory in a zip. */
export interface ZipEntry {
  /** With `/` separators; the name of a directory ends with one. */
  readonly name: string
  readonly modified: Date
  /** Permission bits. */
  readonly mode: number
  readonly isFolder: boolean
  /** Whether it is a symbolic link, whose content is its target. */
  readonly isLink: boolean
  readonly isDeflated: boolean
  /** Whether size and checksum follow the content, because they were unknown before. */
  readonly isStreamed: boolean
  /** Whether the content may be so large that its sizes need 64 bits. */
  readonly isLarge: boolean
}

export interface EntrySize {
  readonly crc: number
  readonly compressedSize: number
  readonly size: number
}

export const max32 = 0xffff_ffff
const max16 = 0xffff

const nothing: EntrySize = { crc: 0, compressedSize: 0, size: 0 }

export function localHeader(entry: ZipEntry, entrySize: EntrySize = nothing): Buffer {
  const name = Buffer.from(entry.name)
  const large = entry.isLarge ? extraField(1, [u64(entrySize.size), u64(entrySize.compressedSize)]) : empty
  const times = timesOf(entry)
  const { crc, compressedSize, size } = entrySize
  return Buffer.concat([
    u32(0x0403_4b50),
    commonFields(entry),
    u32(crc),
    u32(entry.isLarge ? max32 : compressedSize),
    u32(entry.isLarge ? max32 : size),
    u16(name.length),
    u16(large.length + times.length),
    name,
    large,
    times,
  ])
}

/** Follows the content of a streamed entry. */
export function dataDescriptor(entry: ZipEntry, { crc, compressedSize, size }: EntrySize): Buffer {
  const needs64Bit = entry.isLarge ? u64 : u32
  return Buffer.concat([u32(0x0807_4b50), u32(crc), needs64Bit(compressedSize), needs64Bit(size)])
}

export function centralHeader(entry: ZipEntry, { crc, compressedSize, size }: EntrySize, offset: number): Buffer {
  const name = Buffer.from(entry.name)
  const needs64Bit = [size, compressedSize, offset].filter((value) => value >= max32)
  const large = needs64Bit.length > 0 ? extraField(1, needs64Bit.map(u64)) : empty
  const times = timesOf(entry)
  const kind = entry.isFolder ? 0o040000 : entry.isLink ? 0o120000 : 0o100000
  return Buffer.concat([
    u32(0x0201_4b50),
    // Version made by: Unix, with the zip version that supports all features used.
    u16((3 << 8) | 45),
    commonFields(entry),
    u32(crc),
    u32(Math.min(compressedSize, max32)),
    u32(Math.min(size, max32)),
    u16(name.length),
    u16(large.length + times.length),
    // No comment, disk 0, unknown content type.
    Buffer.alloc(6),
    u32((((kind | entry.mode) << 16) | (entry.isFolder ? 0x10 : 0)) >>> 0),
    u32(Math.min(offset, max32)),
    name,
    large,
    times,
  ])
}

/** The end of a zip whose central directory has `entries`, begins at `offset` and has `size` bytes. */
export function endOfCentralDirectory(entries: number, offset: number, size: number): Buffer {
  const isLarge = entries >= max16 || offset >= max32 || size >= max32
  const large = [
    u32(0x0606_4b50),
    u64(44),
    u16((3 << 8) | 45),
    u16(45),
    u32(0),
    u32(0),
    u64(entries),
    u64(entries),
    u64(size),
    u64(offset),
    // The offset of the zip64 end record above.
    u32(0x0706_4b50),
    u32(0),
    u64(offset + size),
    u32(1),
  ]
  return Buffer.concat([
    ...(isLarge ? large : []),
    u32(0x0605_4b50),
    u32(0),
    u16(Math.min(entries, max16)),
    u16(Math.min(entries, max16)),
    u32(Math.min(size, max32)),
    u32(Math.min(offset, max32)),
    u16(0),
  ])
}

const utf8Names = 1 << 11
const sizesFollow = 1 << 3

/** The fields that both headers share: version, flags, method, time. */
function commonFields({ isDeflated, isStreamed, isLarge, modified }: ZipEntry): Buffer {
  const flags = utf8Names | (isStreamed ? sizesFollow : 0)
  return Buffer.concat([u16(isLarge ? 45 : 20), u16(flags), u16(isDeflated ? 8 : 0), dosTime(modified)])
}

/** MS-DOS time: local time in steps of two seconds, between 1980 and 2107. */
function dosTime(time: Date): Buffer {
  const year = Math.min(Math.max(time.getFullYear() - 1980, 0), 127)
  const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1)
  const day = (year << 9) | ((time.getMonth() + 1) << 5) | time.getDate()
  return Buffer.concat([u16(clock), u16(day)])
}

/** The exact time in the extra field of Info-ZIP. */
function timesOf({ modified }: ZipEntry): Buffer {
  const seconds = Math.floor(modified.getTime() / 1000)
  const value = Buffer.alloc(5)
  value[0] = 1
  value.writeInt32LE(Math.min(Math.max(seconds, -0x8000_0000), 0x7fff_ffff), 1)
  return extraField(0x5455, [value])
}

function extraField(id: number, values: readonly Buffer[]): Buffer {
  const length = values.reduce((sum, value) => sum + value.length, 0)
  return Buffer.concat([u16(id), u16(length), ...values])
}

const empty = Buffer.alloc(0)

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
