import { crc32, deflateRawSync } from 'node:zlib'

/** Archives built by hand, which no honest tool or no free tool creates. */

/** One entry of a zip, valid by default. */
export interface ZipPart {
  readonly name: string | Buffer
  readonly data?: string | Buffer
  readonly isStored?: boolean
  readonly mode?: number
  /** 3 is Unix, 0 is DOS. */
  readonly host?: number
  readonly flags?: number
  readonly method?: number
  readonly crc?: number
  readonly size?: number
  /** Refers to the content of the previous part. */
  readonly isOverlapping?: boolean
}

export function zipBytes(parts: readonly ZipPart[]): Buffer {
  const content: Buffer[] = []
  const list: Buffer[] = []
  let offset = 0
  let before = 0
  for (const part of parts) {
    const raw = Buffer.from(part.data ?? '')
    const packed = part.isStored ? raw : deflateRawSync(raw)
    const name = Buffer.from(part.name)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(part.flags ?? 0x800, 2)
    fields.writeUInt16LE(part.method ?? (part.isStored ? 0 : 8), 4)
    fields.writeUInt16LE((1 << 5) | 1, 8)
    fields.writeUInt32LE(part.crc ?? crc32(raw), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(part.size ?? raw.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const place = part.isOverlapping ? before : offset
    if (!part.isOverlapping) {
      const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, name, packed])
      content.push(local)
      before = offset
      offset += local.length
    }
    const more = Buffer.alloc(14)
    more.writeUInt32LE(((part.mode ?? 0o100644) << 16) >>> 0, 6)
    more.writeUInt32LE(place, 10)
    list.push(Buffer.from('PK\x01\x02', 'latin1'), Buffer.from([45, part.host ?? 3]), fields, more, name)
  }
  const directory = Buffer.concat(list)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(parts.length, 8)
  end.writeUInt16LE(parts.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...content, directory, end])
}

/** One entry of a tar; `type` is `0` for a file, `1` hard link, `2` link, `3` device, `5` directory, `6` pipe. */
export interface TarPart {
  readonly name: string | Buffer
  readonly data?: string | Buffer
  readonly type?: string
  readonly target?: string
  readonly mode?: number
  readonly size?: number
}

export function tarBytes(parts: readonly TarPart[]): Buffer {
  const records = parts.flatMap((part) => {
    const data = Buffer.from(part.data ?? '')
    const header = Buffer.alloc(512)
    Buffer.from(part.name).copy(header, 0)
    header.write((part.mode ?? 0o644).toString(8).padStart(7, '0'), 100)
    header.write('0000000', 108)
    header.write('0000000', 116)
    header.write((part.size ?? data.length).toString(8).padStart(11, '0'), 124)
    header.write('00000000000', 136)
    header.write(' '.repeat(8), 148)
    header.write(part.type ?? '0', 156)
    header.write(part.target ?? '', 157)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]
  })
  return Buffer.concat([...records, Buffer.alloc(1024)])
}

export interface RarPart {
  readonly name: string
  readonly data?: string
  /** RAR 5: a link of this kind (1 is a Unix link, 4 a hard link) to `target`. */
  readonly link?: 1 | 4
  readonly target?: string
}

/** A RAR of the old format, stored. */
export function rar4Bytes(parts: readonly RarPart[]): Buffer {
  const block = (type: number, flags: number, rest: Buffer, data: Buffer = Buffer.alloc(0)) => {
    const head = Buffer.alloc(5)
    head[0] = type
    head.writeUInt16LE(flags, 1)
    head.writeUInt16LE(7 + rest.length, 3)
    const body = Buffer.concat([head, rest])
    const sum = Buffer.alloc(2)
    sum.writeUInt16LE(crc32(body) & 0xffff)
    return Buffer.concat([sum, body, data])
  }
  const files = parts.map(({ name, data = '' }) => {
    const bytes = Buffer.from(data)
    const rest = Buffer.alloc(25)
    rest.writeUInt32LE(bytes.length, 0)
    rest.writeUInt32LE(bytes.length, 4)
    rest[8] = 3
    rest.writeUInt32LE(crc32(bytes), 9)
    rest.writeUInt32LE(0x5a21_0000, 13)
    rest[17] = 20
    rest[18] = 0x30
    rest.writeUInt16LE(Buffer.byteLength(name), 19)
    rest.writeUInt32LE(0o100644, 21)
    return block(0x74, 0x8000, Buffer.concat([rest, Buffer.from(name)]), bytes)
  })
  return Buffer.concat([
    Buffer.from('Rar!\x1a\x07\0', 'latin1'),
    block(0x73, 0, Buffer.alloc(6)),
    ...files,
    block(0x7b, 0x4000, Buffer.alloc(0)),
  ])
}

/** A RAR of the new format, stored. */
export function rar5Bytes(parts: readonly RarPart[]): Buffer {
  const vint = (value: number): Buffer => {
    const bytes: number[] = []
    for (let left = value; ; left = Math.floor(left / 128)) {
      bytes.push(left < 128 ? left : (left % 128) | 0x80)
      if (left < 128) return Buffer.from(bytes)
    }
  }
  const u32 = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    return bytes
  }
  const block = (body: Buffer, data: Buffer = Buffer.alloc(0)) => {
    const sized = Buffer.concat([vint(body.length), body])
    return Buffer.concat([u32(crc32(sized)), sized, data])
  }
  const files = parts.map(({ name, data = '', link, target = '' }) => {
    const bytes = Buffer.from(data)
    const record = link
      ? Buffer.concat([vint(5), vint(link), vint(0), vint(Buffer.byteLength(target)), Buffer.from(target)])
      : Buffer.alloc(0)
    const extra = link ? Buffer.concat([vint(record.length), record]) : record
    const fields = [
      ...[vint(2), vint(2 | (link ? 1 : 0)), ...(link ? [vint(extra.length)] : []), vint(bytes.length)],
      ...[vint(0x06), vint(bytes.length), vint(0o100644), u32(1_600_000_000), u32(crc32(bytes))],
      ...[vint(0), vint(1), vint(Buffer.byteLength(name)), Buffer.from(name), extra],
    ]
    return block(Buffer.concat(fields), bytes)
  })
  const start = Buffer.from('Rar!\x1a\x07\x01\0', 'latin1')
  return Buffer.concat([
    start,
    block(Buffer.concat([vint(1), vint(0), vint(0)])),
    ...files,
    block(Buffer.concat([vint(5), vint(0), vint(0)])),
  ])
}
