import { on } from 'node:events'
import type { FileHandle } from 'node:fs/promises'
import { Semaphore } from '../../concurrency/semaphore.ts'
import { startWorker } from '../../workers/start-worker.ts'
import { archiveDamaged, archiveTooLarge } from '../formats/archive-errors.ts'

/** Memory for one archive. */
const maxMemoryBytes = 640 * 1024 ** 2
const maxThreads = 2

/** A part of the archive for 7-Zip: bytes, or a range of the file. */
export type ArchivePart = Uint8Array | { readonly start: number; readonly end: number }

/** The worker data. */
export interface SevenZipOptions {
  readonly fd: number
  readonly parts: readonly ArchivePart[]
  readonly name: string
  readonly args: readonly string[]
  /** Number of bytes sent and not read yet. */
  readonly flow: Int32Array
  readonly maxUnreadBytes: number
  readonly memoryBytes: number
}

/** Messages of the worker: the output of 7-Zip, then its exit code and messages. */
export type SevenZipMessage =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly code: number; readonly printed: readonly string[] }

/** 7-Zip's names of archive types; it must not guess. */
export type SevenZipType = '7z' | 'rar' | 'rar5' | 'zip' | 'xz' | 'bzip2' | 'lzma'

interface SevenZipInput {
  readonly file: FileHandle
  readonly parts: readonly ArchivePart[]
  readonly type: SevenZipType
  readonly signal: AbortSignal
}

const maxUnreadBytes = 1024 * 1024

/** How long one archive may have a thread, for which those of other servers wait. */
const maxThreadMs = 60 * 60 * 1000

/** Each uses one CPU, and up to some hundred MiB. */
const semaphore = new Semaphore(maxThreads, { perKey: 1 })

interface SlotOptions {
  /** The server, or another owner of the files: each has one slot at a time. */
  readonly key: string
  readonly signal: AbortSignal
  /** How long it may take. */
  readonly ms?: number
}

/**
 * Every use of 7-Zip must be inside one of these, and end by the signal. Throws ErrArchiveTooLarge when it took too long.
 */
export async function withSevenZipSlot<T>(
  act: (signal: AbortSignal) => Promise<T>,
  { key, signal, ms = maxThreadMs }: SlotOptions,
): Promise<T> {
  using _ = await semaphore.acquire({ key, signal })
  const timeout = AbortSignal.timeout(ms)
  return await act(AbortSignal.any([signal, timeout])).catch((error: unknown) => {
    signal.throwIfAborted()
    throw timeout.aborted ? archiveTooLarge('the time limit') : error
  })
}

/** The contents of an archive, concatenated in order. */
export function contentBySevenZip(opening: SevenZipInput): AsyncGenerator<Uint8Array> {
  return sevenZip(opening, ['x', '-so', '-bso2', '-bse2', '-bsp0'])
}

/** The list of an archive's entries, as text. */
export function listBySevenZip(opening: SevenZipInput): AsyncGenerator<Uint8Array> {
  return sevenZip(opening, ['l', '-slt', '-ba'])
}

async function* sevenZip({ file, parts, type, signal }: SevenZipInput, args: string[]): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted()
  const options: SevenZipOptions = {
    fd: file.fd,
    parts,
    name: 'archive',
    // An empty password prevents a prompt.
    args: [...args, `-t${type}`, '-p', '-sccUTF-8', '-mmt1'],
    flow: new Int32Array(new SharedArrayBuffer(4)),
    maxUnreadBytes,
    memoryBytes: maxMemoryBytes,
  }
  // The caller may close the descriptor, whose number is then reused: the worker must have ended by then.
  await using worker = startWorker(new URL('./seven-zip-worker.ts', import.meta.url), {
    data: options,
    heap: { maxOldGenerationSizeMb: 256 },
  })
  const messages = on(worker, 'message', { signal, close: ['exit'] }) as AsyncIterable<[SevenZipMessage]>
  for await (const [message] of messages) {
    if (message.type === 'end') return finish(message)
    const { bytes } = message
    const { length } = bytes
    yield bytes
    // The reader may have released their memory.
    Atomics.sub(options.flow, 0, length)
    Atomics.notify(options.flow, 0)
  }
  throw archiveDamaged('it cannot be read')
}

function finish({ code, printed }: { readonly code: number; readonly printed: readonly string[] }): void {
  if (code === 0) return
  const text = printed.join('\n')
  if (/wrong password|encrypted/i.test(text)) throw archiveDamaged('it is protected by a password')
  if (/allocate|memory/i.test(text)) throw archiveDamaged('extracting it needs too much memory')
  const reason = /ERRORS?: (?<reason>[A-Z][^:\n]*)/.exec(text)?.groups?.reason
  throw archiveDamaged(reason?.trim() || 'it cannot be read')
}
