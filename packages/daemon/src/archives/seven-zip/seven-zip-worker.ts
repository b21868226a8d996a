import { readFileSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import SevenZip, { type FileSystem } from '7z-wasm'
import type { ArchivePart, SevenZipMessage, SevenZipOptions } from './seven-zip.ts'

/**
 * The worker of `sevenZip`, which terminates it. 7-Zip sees only two files, neither on disk: the archive, read through
 * an open descriptor, and a device that receives the output.
 */
const { fd, parts, name, args, flow, maxUnreadBytes, memoryBytes } = workerData as SevenZipOptions

const size = parts.reduce((sum, part) => sum + getLength(part), 0)
const chunkBytes = 256 * 1024
let chunk = Buffer.allocUnsafeSlow(chunkBytes)
let filled = 0

function getLength(part: ArchivePart): number {
  return part instanceof Uint8Array ? part.length : part.end - part.start
}

/** Reads the archive, the concatenation of its parts. */
function read(into: Uint8Array, offset: number, length: number, position: number): number {
  let [done, start] = [0, 0]
  for (const part of parts) {
    const from = position + done - start
    const count = Math.min(length - done, getLength(part) - from)
    if (from >= 0 && count > 0) {
      const got = readPart(part, into, offset + done, count, from)
      done += got
      if (got < count) break
    }
    start += getLength(part)
  }
  return done
}

function readPart(part: ArchivePart, into: Uint8Array, offset: number, count: number, from: number): number {
  if (!(part instanceof Uint8Array)) return readSync(fd, into, offset, count, part.start + from)
  into.set(part.subarray(from, from + count), offset)
  return count
}

function appendOutput(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const part = bytes.subarray(at, at + chunkBytes - filled)
    chunk.set(part, filled)
    filled += part.length
    at += part.length
    if (filled === chunkBytes) flush()
  }
}

/** Sends buffered output, and blocks while too much of it is unread. */
function flush(): void {
  if (filled === 0) return
  const bytes = chunk.subarray(0, filled)
  const unread = Atomics.add(flow, 0, filled) + filled
  send({ type: 'bytes', bytes }, bytes)
  chunk = Buffer.allocUnsafeSlow(chunkBytes)
  filled = 0
  for (let left = unread; left > maxUnreadBytes; left = Atomics.load(flow, 0)) Atomics.wait(flow, 0, left)
}

function send(message: SevenZipMessage, transferred?: Uint8Array): void {
  parentPort?.postMessage(message, transferred ? [transferred.buffer as ArrayBuffer] : [])
}

/** The parts of WebAssembly and of Emscripten's options used here; missing in the types. */
declare const WebAssembly: {
  instantiate(program: Uint8Array, imports: Imports): Promise<{ readonly instance: object; readonly module: object }>
}
interface Imports {
  readonly env: { emscripten_resize_heap(bytes: number): boolean | number }
}
interface InstantiateOption {
  instantiateWasm(imports: Imports, receive: (instance: object, module: object) => void): object
}

/**
 * Limits the memory of 7-Zip, which has no limit for some formats; it reports a refusal as an error. What it has may
 * still grow in steps of up to 96 MiB.
 */
const limitMemory: InstantiateOption = {
  instantiateWasm({ env, ...imports }, receive) {
    const resize = env.emscripten_resize_heap
    const limited = (bytes: number) => bytes >>> 0 <= memoryBytes && resize(bytes)
    const program = readFileSync(createRequire(import.meta.url).resolve('7z-wasm/7zz.wasm'))
    void WebAssembly.instantiate(program, { ...imports, env: { ...env, emscripten_resize_heap: limited } }).then(
      ({ instance, module }) => receive(instance, module),
    )
    // The instance comes later.
    return {}
  },
}

const printed: string[] = []
const say = (line: string) => {
  if (printed.length < 100) printed.push(line)
}
const options = { stdin: () => null as unknown as number, print: say, printErr: say, ...limitMemory }
const { FS, callMain } = await SevenZip.default(options)

/** Missing in the types of the package. */
interface Stream {
  readonly position: number
}
type EmscriptenFs = FileSystem & {
  readonly streams: readonly Parameters<FileSystem['close']>[0][]
}
const fs = FS as EmscriptenFs

fs.mkdir('/in')
fs.writeFile(`/in/${name}`, new Uint8Array())
const { node } = fs.lookupPath(`/in/${name}`)
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

const device = fs.makedev(99, 0)
fs.registerDevice(device, {
  open() {},
  close() {},
  write(_: Stream, from: Uint8Array, offset: number, length: number) {
    appendOutput(from.subarray(offset, offset + length))
    return length
  },
})
fs.mkdev('/dev/handed', device)
const [, output] = fs.streams
if (output) fs.close(output)
fs.open('/dev/handed', 'w')

try {
  const code: unknown = callMain([...args, `/in/${name}`])
  flush()
  send({ type: 'end', code: Number(code ?? 0), printed })
} catch (error) {
  send({ type: 'end', code: -1, printed: [...printed, String(error)] })
}
