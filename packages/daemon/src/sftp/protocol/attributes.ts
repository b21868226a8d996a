import type { FileInfo } from '../../files/read/file-info.ts'
import { type Fields, type PacketWriter, ProtocolError } from './wire.ts'

/** Attributes to change; the owner cannot be changed. */
export interface AttributeChanges {
  readonly size?: number
  readonly mode?: number
  readonly accessed?: Date
  readonly modified?: Date
}

const has = { size: 1, owner: 2, mode: 4, times: 8, extended: 0x8000_0000 } as const
const kindBits = { file: 0o100_000, folder: 0o040_000, link: 0o120_000, other: 0o010_000 } as const
const typeLetters = { file: '-', folder: 'd', link: 'l', other: 'p' } as const
/** No client sends more extended attributes. */
const maxExtended = 16

export function readAttributes(fields: Fields): AttributeChanges {
  const flags = fields.u32()
  const changes: { -readonly [key in keyof AttributeChanges]: AttributeChanges[key] } = {}
  if (flags & has.size) changes.size = fields.u64()
  if (flags & has.owner) {
    fields.u32()
    fields.u32()
  }
  if (flags & has.mode) changes.mode = fields.u32() & 0o777
  if (flags & has.times) {
    changes.accessed = new Date(fields.u32() * 1000)
    changes.modified = new Date(fields.u32() * 1000)
  }
  if (flags & has.extended) {
    const count = fields.u32()
    if (count > maxExtended) throw new ProtocolError('There are too many attributes.')
    for (let at = 0; at < 2 * count; at++) fields.string()
  }
  return changes
}

export function writeAttributes(writer: PacketWriter, info: FileInfo): PacketWriter {
  return writer
    .u32(has.size | has.owner | has.mode | has.times)
    .u64(info.size)
    .u32(info.uid)
    .u32(info.gid)
    .u32(kindBits[info.kind] | info.mode)
    .u32(getSeconds(info.accessed))
    .u32(getSeconds(info.modified))
}

/** The line of `ls -l`, which some clients display. */
export function getLongName(info: FileInfo, now = Date.now()): string {
  const { mode, uid, gid, size, modified, name } = info
  const owner = `${String(uid).padEnd(8)} ${String(gid).padEnd(8)}`
  return `${typeLetters[info.kind]}${modeLetters[mode & 0o777]}    1 ${owner} ${String(size).padStart(8)} ${getDate(modified, now)} ${name}`
}

function getLetters(mode: number): string {
  return [6, 3, 0]
    .map((shift) => 'rwx'.replace(/./g, (letter, at: number) => (mode & ((4 >> at) << shift) ? letter : '-')))
    .join('')
}

/** By permission bits: a listing needs them for every entry. */
const modeLetters = Array.from({ length: 0o1000 }, (_, mode) => getLetters(mode))

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const halfYearMs = 182 * 24 * 60 * 60 * 1000

function getDate(date: Date, now: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${months[date.getUTCMonth()]} ${String(date.getUTCDate()).padStart(2)}`
  const isRecent = Math.abs(now - date.getTime()) < halfYearMs
  return `${day} ${isRecent ? `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}` : ` ${date.getUTCFullYear()}`}`
}

/** Version 3 has seconds in 32 bits. */
function getSeconds(date: Date): number {
  return Math.min(0xffff_ffff, Math.max(0, Math.floor(date.getTime() / 1000)))
}
