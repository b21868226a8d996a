import { Refusal } from '@innkeeper/contract/errors/refusals'

/** Signatures and sizes of the records of a zip, as in its specification (APPNOTE.TXT). */
const end = { signature: 0x06054b50, bytes: 22, maxCommentBytes: 0xffff } as const
const end64 = { signature: 0x06064b50, bytes: 56, locatorSignature: 0x07064b50, locatorBytes: 20 } as const
const listed = { signature: 0x02014b50, bytes: 46 } as const
const local = { signature: 0x04034b50, bytes: 30 } as const
const [stored, deflated] = [0, 8]

/** A larger list of files is not read. */
const maxListBytes = 256 * 1024 ** 2

interface Entry {
  readonly method: number
  readonly packedBytes: number
  readonly bytes: number
  readonly offset: number
}

/**
 * Lists a zip by its central directory, without reading the content of its files.
 * @throws Refusal ErrArchiveDamaged
 */
export async function listZip(file: Blob, maxTextBytes: number) {
  const entries = parseEntries(await readList(file))
  return {
    paths: [...entries.keys()],
    /** The text of a small file; empty when there is none. */
    async readText(path: string): Promise<string> {
      const entry = entries.get(path)
      if (!entry || entry.bytes > maxTextBytes || entry.packedBytes > maxTextBytes) return ''
      const head = await readView(file, entry.offset, local.bytes)
      if (head.getUint32(0, true) !== local.signature) throw damaged('a file in it is missing')
      const start = entry.offset + local.bytes + head.getUint16(26, true) + head.getUint16(28, true)
      const packed = file.slice(start, start + entry.packedBytes)
      if (entry.method === stored) return new TextDecoder().decode(await packed.arrayBuffer())
      if (entry.method !== deflated) return ''
      return await inflatedText(await packed.arrayBuffer(), maxTextBytes)
    },
  }
}

/** The bytes of the central directory. */
async function readList(file: Blob): Promise<DataView> {
  const tailBytes = Math.min(file.size, end.bytes + end.maxCommentBytes)
  const tailStart = file.size - tailBytes
  const tail = await readView(file, tailStart, tailBytes)
  let at = tailBytes - end.bytes
  while (at >= 0 && tail.getUint32(at, true) !== end.signature) at--
  if (at < 0) throw damaged('it is no zip, or ends too early')
  let size = tail.getUint32(at + 12, true)
  let offset = tail.getUint32(at + 16, true)
  const locatorStart = at - end64.locatorBytes
  if (locatorStart >= 0 && tail.getUint32(locatorStart, true) === end64.locatorSignature) {
    const record = await readView(file, Number(tail.getBigUint64(locatorStart + 8, true)), end64.bytes)
    if (record.getUint32(0, true) !== end64.signature) throw damaged('its list of files is missing')
    size = Number(record.getBigUint64(40, true))
    offset = Number(record.getBigUint64(48, true))
  }
  if (size > maxListBytes) throw new Refusal('ErrArchiveTooLarge', { limit: 'the number of entries' })
  return await readView(file, offset, size)
}

function parseEntries(list: DataView): ReadonlyMap<string, Entry> {
  const decoder = new TextDecoder()
  const entries = new Map<string, Entry>()
  for (let at = 0; at + listed.bytes <= list.byteLength; ) {
    if (list.getUint32(at, true) !== listed.signature) throw damaged('its list of files is damaged')
    const nameBytes = list.getUint16(at + 28, true)
    const next = at + listed.bytes + nameBytes + list.getUint16(at + 30, true) + list.getUint16(at + 32, true)
    if (next > list.byteLength) throw damaged('its list of files ends too early')
    const name = new Uint8Array(list.buffer, list.byteOffset + at + listed.bytes, nameBytes)
    // Some programs write the separator of Windows.
    entries.set(decoder.decode(name).replaceAll('\\', '/'), {
      method: list.getUint16(at + 10, true),
      packedBytes: list.getUint32(at + 20, true),
      bytes: list.getUint32(at + 24, true),
      offset: list.getUint32(at + 42, true),
    })
    at = next
  }
  return entries
}

async function readView(file: Blob, start: number, bytes: number): Promise<DataView> {
  if (start < 0 || start + bytes > file.size) throw damaged('it ends too early')
  return new DataView(await file.slice(start, start + bytes).arrayBuffer())
}

/** Text of at most some bytes: the size in the list may be wrong. */
async function inflatedText(packed: ArrayBuffer, maxBytes: number): Promise<string> {
  const decompressing = new DecompressionStream('deflate-raw')
  const writer = decompressing.writable.getWriter()
  const writing = writer.write(packed).then(() => writer.close())
  const decoder = new TextDecoder()
  const reader = decompressing.readable.getReader()
  let [text, bytes] = ['', 0]
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.byteLength
      if (bytes > maxBytes) throw damaged('a file in it is larger than its list says')
      text += decoder.decode(value, { stream: true })
    }
    await writing
    return text + decoder.decode()
  } catch (error) {
    writing.catch(() => undefined)
    await reader.cancel().catch(() => undefined)
    throw error instanceof Refusal ? error : damaged('a file in it cannot be unpacked', error)
  }
}

const damaged = (reason: string, cause?: unknown) => new Refusal('ErrArchiveDamaged', { reason }, { cause })
