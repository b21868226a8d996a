import { on } from 'node:events'
import type { FileHandle } from 'node:fs/promises'
import { limits } from '@innkeeper/contract/limits'
import { startWorker } from '../../workers/start-worker.ts'
import { archiveDamaged } from '../archive-errors.ts'
import { Semaphore } from '../semaphore.ts'

/** A part of what 7-Zip takes for the archive: bytes, or a range of the file. */
export type ArchivePart = Uint8Array | { readonly start: number; readonly end: number }

/** What the thread is given. */
export interface SevenZipOptions {
  readonly fd: number
  readonly parts: readonly ArchivePart[]
  readonly name: string
  readonly args: readonly string[]
  /** How many bytes were handed over and are not yet read. */
  readonly flow: Int32Array
  readonly maxUnreadBytes: number
  readonly memoryBytes: number
}

/** What the thread sends: what 7-Zip gives, then how it ended and what it said. */
export type SevenZipMessage =
  | { readonly is: 'bytes'; readonly bytes: Uint8Array }
  | { readonly is: 'end'; readonly code: number; readonly printed: readonly string[] }

/** The names that 7-Zip has for what it is to open; it does not guess. */
export type SevenZipType = '7z' | 'rar' | 'rar5' | 'zip' | 'xz' | 'bzip2' | 'lzma'

interface SevenZipInput {
  readonly file: FileHandle
  readonly parts: readonly ArchivePart[]
  readonly type: SevenZipType
  readonly signal: AbortSignal
}

const maxUnreadBytes = 1024 * 1024

/** Each takes a processor, and some hundred MiB at worst. */
const semaphore = new Semaphore(limits.sevenZipThreads)

/** Every use of 7-Zip happens within one of these. */
export function withSevenZipSlot<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return semaphore.run(act, signal)
}

/** All content of an archive, one file behind the other, as it stands in it. */
export function contentBySevenZip(opening: SevenZipInput): AsyncGenerator<Uint8Array> {
  return sevenZip(opening, ['x', '-so', '-bso2', '-bse2', '-bsp0'])
}

/** The list of what is in an archive, as text. */
export function listBySevenZip(opening: SevenZipInput): AsyncGenerator<Uint8Array> {
  return sevenZip(opening, ['l', '-slt', '-ba'])
}

async function* sevenZip({ file, parts, type, signal }: SevenZipInput, args: string[]): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted()
  const given: SevenZipOptions = {
    fd: file.fd,
    parts,
    name: 'archive',
    // An empty password: nobody is there to be asked.
    args: [...args, `-t${type}`, '-p', '-sccUTF-8', '-mmt1'],
    flow: new Int32Array(new SharedArrayBuffer(4)),
    maxUnreadBytes,
    memoryBytes: limits.archiveMemoryBytes,
  }
  const worker = startWorker(new URL('./seven-zip-worker.ts', import.meta.url), {
    data: given,
    heap: { maxOldGenerationSizeMb: 256 },
  })
  try {
    for await (const [message] of on(worker, 'message', { signal, close: ['exit'] }) as AsyncIterable<
      [SevenZipMessage]
    >) {
      if (message.is === 'end') return finish(message)
      const { bytes } = message
      const { length } = bytes
      yield bytes
      // Whoever took them may have freed their memory.
      Atomics.sub(given.flow, 0, length)
      Atomics.notify(given.flow, 0)
    }
    throw archiveDamaged('it cannot be read')
  } finally {
    // The descriptor may become another file's as soon as the caller closes it: the thread must be gone by then.
    await worker.terminate()
  }
}

function finish({ code, printed }: { readonly code: number; readonly printed: readonly string[] }): void {
  if (code === 0) return
  const text = printed.join('\n')
  if (/wrong password|encrypted/i.test(text)) throw archiveDamaged('it is protected by a password')
  if (/allocate|memory/i.test(text)) throw archiveDamaged('unpacking it takes too much memory')
  const reason = /ERRORS?: (?<reason>[A-Z][^:\n]*)/.exec(text)?.groups?.reason
  throw archiveDamaged(reason?.trim() || 'it cannot be read')
}
