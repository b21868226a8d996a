import { availableParallelism } from 'node:os'
import { constants, createDeflateRaw, type DeflateRaw } from 'node:zlib'
import { blockBytes } from './block-memory.ts'
import { Gate } from './gate.ts'

/** How many blocks may be under way for one archive. */
export const blocksAhead = 12

/** What the usual effort is, and the least. */
const [usual, least] = [5, 1]

/** After so many blocks of a stream it is tried with which effort to go on, for the first time and then again. */
const [triedAfter, triedEvery] = [4, 32]
/** So much larger may be what the least effort gives, which takes three quarters of the time. */
const worth = 1.025

/** A piece of a stream that is deflated in pieces. */
export interface Block {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/** The pool of the runtime also reads and writes files: some of it is left for those. */
const atOnce = Math.max(1, Math.min(3, availableParallelism()))
const pool = new Gate(atOnce)
/** Those that nobody uses at the moment, by their effort; one is made anew much more slowly than it is made ready again. */
const idle = new Map<number, DeflateRaw[]>()

/**
 * Deflates blocks so that they can stand one behind the other: together they are one raw deflate stream. The work is done
 * in the pool of the runtime, with no more effort than finds something: numbers and keys repeat little that could be found.
 */
export class Deflating {
  #level = usual
  #blocks = 0

  async block(block: Block): Promise<Uint8Array[]> {
    if (isStored(block)) return storedBlocks(block)
    const isTrial = this.#blocks++ % triedEvery === triedAfter
    const packed = await (isTrial ? this.#try(block) : deflated(block, this.#level))
    return packed.length < block.bytes.length ? [packed] : storedBlocks(block)
  }

  async #try(block: Block): Promise<Buffer> {
    const [thorough, quick] = await Promise.all([deflated(block, usual), deflated(block, least)])
    this.#level = quick.length <= thorough.length * worth ? least : usual
    return thorough
  }
}

/** A whole content deflated; `undefined` when that does not make it smaller. */
export async function smaller(content: Block): Promise<Uint8Array | undefined> {
  if (isStored(content)) return undefined
  const packed = await deflated(content, usual)
  return packed.length < content.bytes.length ? packed : undefined
}

const isStored = ({ bytes }: Block) => bytes.length === 0 || isDense(bytes)

async function deflated({ bytes, isLast }: Block, level: number): Promise<Buffer> {
  return await pool.pass(async () => {
    const unused = idle.get(level) ?? []
    idle.set(level, unused)
    const deflater = unused.pop() ?? createDeflateRaw({ ...options, level })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    deflater.once('error', reject)
    deflater.write(bytes, () => resolve())
    await promise
    deflater.off('error', reject)
    const packed: Buffer = deflater.read()
    deflater.reset()
    unused.push(deflater)
    return isLast ? Buffer.concat([packed, end]) : packed
  })
}

/** An empty block that says that it is the last. */
const end = Buffer.from([3, 0])

const options = {
  // A larger table finds the same in less time.
  memLevel: 9,
  // Each write is one turn in the pool, and ends where a byte does. To finish a stream takes another turn.
  flush: constants.Z_SYNC_FLUSH,
  chunkSize: 2 * blockBytes,
  // All of a block is read in one piece when it is done: it never waits for a reader.
  readableHighWaterMark: 2 * blockBytes,
}

const storedMax = 65_535

/** The blocks of deflate that hold bytes as they are. */
function storedBlocks({ bytes, isLast }: Block): Uint8Array[] {
  const blocks: Uint8Array[] = []
  for (let at = 0; at < bytes.length || blocks.length === 0; at += storedMax) {
    const part = bytes.subarray(at, at + storedMax)
    const head = Buffer.alloc(5)
    head[0] = isLast && at + storedMax >= bytes.length ? 1 : 0
    head.writeUInt16LE(part.length, 1)
    head.writeUInt16LE(part.length ^ 0xffff, 3)
    blocks.push(head, part)
  }
  return blocks
}

const sampleBytes = 4096
const samples = 4
const denseBits = 7.95

/** Whether bytes look as if they had been packed or encrypted: all values are about as frequent. */
export function isDense(bytes: Uint8Array): boolean {
  if (bytes.length < samples * sampleBytes) return false
  const counts = new Uint32Array(256)
  const stride = Math.floor((bytes.length - sampleBytes) / (samples - 1))
  for (let sample = 0; sample < samples; sample++) {
    const end = sample * stride + sampleBytes
    for (let at = sample * stride; at < end; at++) {
      const value = bytes[at] ?? 0
      counts[value] = (counts[value] ?? 0) + 1
    }
  }
  const total = samples * sampleBytes
  let bits = 0
  for (const count of counts) if (count > 0) bits -= (count / total) * Math.log2(count / total)
  return bits > denseBits
}
