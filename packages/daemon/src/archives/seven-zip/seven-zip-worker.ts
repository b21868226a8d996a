import { readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import SevenZip, { type FileSystem } from '7z-wasm'
import type { FromSevenZip, Part, ToSevenZip } from './seven-zip.ts'

/**
 * The thread of `sevenZip`: whoever started it ends it. 7-Zip sees two files only, neither of them on a disk: the archive,
 * read through a descriptor that is open already, and a device that hands over what it gives.
 */
const { fd, parts, name, args, flow, aheadBytes, memoryBytes } = workerData as ToSevenZip

const size = parts.reduce((sum, part) => sum + lengthOf(part), 0)
const chunkBytes = 256 * 1024
let chunk = Buffer.allocUnsafeSlow(chunkBytes)
let filled = 0

function lengthOf(part: Part): number {
  return part instanceof Uint8Array ? part.length : part.end - part.start
}

/** Reads the archive, whose parts stand one behind the other. */
function read(into: Uint8Array, offset: number, length: number, position: number): number {
  let [done, start] = [0, 0]
  for (const part of parts) {
    const from = position + done - start
    const count = Math.min(length - done, lengthOf(part) - from)
    if (from >= 0 && count > 0) {
      const got = readPart(part, into, offset + done, count, from)
      done += got
      if (got < count) break
    }
    start += lengthOf(part)
  }
  return done
}

function readPart(part: Part, into: Uint8Array, offset: number, count: number, from: number): number {
  if (!(part instanceof Uint8Array)) return readSync(fd, into, offset, count, part.start + from)
  into.set(part.subarray(from, from + count), offset)
  return count
}

function take(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const part = bytes.subarray(at, at + chunkBytes - filled)
    chunk.set(part, filled)
    filled += part.length
    at += part.length
    if (filled === chunkBytes) hand()
  }
}

/** Hands over what is gathered, and waits as long as too much of it lies unread. */
function hand(): void {
  if (filled === 0) return
  const bytes = chunk.subarray(0, filled)
  const unread = Atomics.add(flow, 0, filled) + filled
  send({ is: 'bytes', bytes }, bytes)
  chunk = Buffer.allocUnsafeSlow(chunkBytes)
  filled = 0
  for (let left = unread; left > aheadBytes; left = Atomics.load(flow, 0)) Atomics.wait(flow, 0, left)
}

function send(message: FromSevenZip, transferred?: Uint8Array): void {
  parentPort?.postMessage(message, transferred ? [transferred.buffer as ArrayBuffer] : [])
}

/** The part of WebAssembly that is touched here; the types of the runtime do not name it. */
declare const WebAssembly: {
  readonly Memory: { readonly prototype: { readonly buffer: ArrayBuffer; grow(pages: number): number } }
}

// Some formats ask for as much memory as they like. What is refused here, 7-Zip tells as an error.
const memory = WebAssembly.Memory.prototype
const { grow } = memory
memory.grow = function bounded(this: typeof memory, pages: number): number {
  if (this.buffer.byteLength + pages * 65_536 > memoryBytes) throw new RangeError('no more memory for this archive')
  return grow.call(this, pages)
}

const said: string[] = []
const say = (line: string) => {
  if (said.length < 100) said.push(line)
}
const { FS, callMain } = await SevenZip.default({ stdin: () => null as unknown as number, print: say, printErr: say })

/** What the types of the package leave out. */
interface Stream {
  readonly position: number
}
type Inside = FileSystem & {
  readonly streams: readonly Parameters<FileSystem['close']>[0][]
}
const inside = FS as Inside

inside.mkdir('/in')
inside.writeFile(`/in/${name}`, new Uint8Array())
const { node } = inside.lookupPath(`/in/${name}`)
Object.assign(node, {
  node_ops: {
    ...(node as { node_ops?: object }).node_ops,
    getattr: () => ({
      ...{ dev: 1, ino: node.id, mode: node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size },
      ...{ atime: new Date(0), mtime: new Date(0), ctime: new Date(0), blksize: 4096, blocks: Math.ceil(size / 4096) },
    }),
  },
  stream_ops: {
    read: (_: Stream, into: Uint8Array, offset: number, length: number, position: number) =>
      read(into, offset, length, position),
    llseek: (stream: Stream, offset: number, whence: number) =>
      offset + (whence === 1 ? stream.position : whence === 2 ? size : 0),
  },
})

const device = inside.makedev(99, 0)
inside.registerDevice(device, {
  open() {},
  close() {},
  write(_: Stream, from: Uint8Array, offset: number, length: number) {
    take(from.subarray(offset, offset + length))
    return length
  },
})
inside.mkdev('/dev/handed', device)
const [, output] = inside.streams
if (output) inside.close(output)
inside.open('/dev/handed', 'w')

try {
  const code: unknown = callMain([...args, `/in/${name}`])
  hand()
  send({ is: 'end', code: Number(code ?? 0), said })
} catch (error) {
  send({ is: 'end', code: -1, said: [...said, String(error)] })
}
