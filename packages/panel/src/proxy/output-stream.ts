import { closeCodes, type ServerMessage } from '@innkeeper/contract/servers/live'
import type { OutputShare } from '@innkeeper/contract/servers/output-rates'
import type { ShareResponse } from '@innkeeper/contract/servers/shared-output'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type { Logger } from 'pino'
import type WebSocket from 'ws'

/** Unread output that is kept for a viewer as long as for one with its own output: the console buffer of a node. */
const maxUnreadBytes = 4 * 1024 * 1024
/** The same for all viewers of a user, and for all streams: the viewers of one share their output. */
const maxUserUnreadBytes = 16 * 1024 * 1024
const maxStreamsUnreadBytes = 64 * 1024 * 1024
/** The limits are checked after this much output of a stream: for each message it would cost more than sending. */
const checkEveryBytes = 1024 * 1024

/** A viewer that the node has given the output before a position, or will. */
interface StreamViewer {
  /** Open sockets of its user. */
  readonly userSockets: () => number
  readonly rate: OutputShare
  /** Asks the node to leave the output to the stream. */
  requestShare(): void
  /** Sends output as long as the viewer reads. */
  flush(): void
  end(code: number, reason: string): void
}

/** A message with console output, and the one after it: what no reader needs any more is not referenced. */
interface Chunk {
  readonly message: Buffer
  /** The position after it. */
  readonly to: number
  /** The bytes of all messages up to here. */
  readonly end: number
  next: Chunk | undefined
}

/** The output of servers, once for all viewers of each. */
export class OutputStreams {
  readonly #log: Logger
  readonly #streams = new Map<string, OutputStream>()

  constructor(log: Logger) {
    this.#log = log
  }

  /** Adds a viewer to the stream of its server; the first one opens it. */
  join(server: string, viewer: StreamViewer, open: () => Promise<WebSocket>): OutputReader {
    const stream = this.#streams.get(server) ?? this.#create(server, open)
    return stream.join(viewer, () => maxStreamsUnreadBytes / this.#streams.size)
  }

  #create(server: string, open: () => Promise<WebSocket>): OutputStream {
    const onEnd = () => {
      if (this.#streams.get(server) === stream) this.#streams.delete(server)
    }
    const stream: OutputStream = new OutputStream(open(), { log: this.#log, onEnd })
    this.#streams.set(server, stream)
    return stream
  }
}

/** The console output of a server, as its node sends it. Without viewers it is closed. */
class OutputStream {
  last: Chunk = { message: Buffer.alloc(0), to: 0, end: 0, next: undefined }
  readonly #readers = new Set<OutputReader>()
  /** Those that have read everything. */
  readonly #waiting = new Set<OutputReader>()
  #checkedAt = 0
  readonly #onEnd: () => void
  #socket: WebSocket | undefined

  /** A node that cannot share output, such as an older one, rejects the socket: its viewers keep their own output. */
  constructor(opening: Promise<WebSocket>, { log, onEnd }: { log: Logger; onEnd: () => void }) {
    this.#onEnd = onEnd
    opening.then(
      (socket) => this.#start(socket),
      (error: unknown) => log.debug({ err: error }, 'a node does not share console output'),
    )
  }

  get isOpen(): boolean {
    return this.#socket !== undefined && this.#socket.readyState === this.#socket.OPEN
  }

  join(viewer: StreamViewer, mostBytes: () => number): OutputReader {
    const reader = new OutputReader(this, viewer, mostBytes)
    this.#readers.add(reader)
    if (this.isOpen) reader.requestShare()
    return reader
  }

  /** Calls `onMore` of the reader once, when there is a message. */
  wait(reader: OutputReader): void {
    this.#waiting.add(reader)
  }

  leave(reader: OutputReader): void {
    this.#readers.delete(reader)
    this.#waiting.delete(reader)
    if (this.#readers.size > 0) return
    this.#socket?.terminate()
    this.#onEnd()
  }

  #start(socket: WebSocket): void {
    this.#socket = socket
    socket.on('message', (data) => this.#receive(data as Buffer))
    socket.on('ping', (data) => socket.pong(data))
    // A close event follows.
    socket.on('error', () => socket.terminate())
    socket.once('close', (code, reason) => {
      this.#onEnd()
      for (const reader of this.#readers) reader.onClosed(code, reason.toString())
    })
    if (this.#readers.size === 0) socket.terminate()
    socket.resume()
    for (const reader of this.#readers) reader.requestShare()
  }

  #receive(message: Buffer): void {
    const { type, data } = (parseJsonOrUndefined(message.toString()) ?? {}) as Partial<ServerMessage>
    if (type !== 'console' || typeof data?.to !== 'number') return
    const chunk: Chunk = { message, to: data.to, end: this.last.end + message.length, next: undefined }
    this.last.next = chunk
    this.last = chunk
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const reader of waiting) reader.onMore()
    if (chunk.end - this.#checkedAt < checkEveryBytes) return
    this.#checkedAt = chunk.end
    for (const reader of this.#readers) reader.limit()
  }
}

/** Reads a stream for one viewer, at its pace, while the node leaves the output to the stream. */
export class OutputReader {
  readonly #stream: OutputStream
  readonly #viewer: StreamViewer
  readonly #mostBytes: () => number
  /** The last chunk that was read. */
  #read: Chunk
  #isShared = false
  /** The position of the first output of the stream that the viewer gets. */
  #from = 0

  constructor(stream: OutputStream, viewer: StreamViewer, mostBytes: () => number) {
    this.#stream = stream
    this.#viewer = viewer
    this.#mostBytes = mostBytes
    this.#read = stream.last
    viewer.rate.setPaused(true)
  }

  /** From now on, output is kept, so that there is no gap between that of the node and that of the stream. */
  requestShare(): void {
    this.#read = this.#stream.last
    this.#viewer.requestShare()
  }

  onNodeMessage(message: ShareResponse): void {
    this.#isShared = message.type === 'shared'
    this.#viewer.rate.setPaused(!this.#isShared)
    if (!this.#stream.isOpen) {
      if (this.#isShared) this.#viewer.end(closeCodes.goingAway, '')
    } else if (message.type === 'shared') {
      this.#from = message.to
      this.#viewer.flush()
    } else {
      this.requestShare()
    }
  }

  /** The next message, if the viewer may get it now. */
  next(): Buffer | undefined {
    if (!this.#isShared) return undefined
    this.#skipWhile(({ to }) => to <= this.#from)
    const { next } = this.#read
    if (!next) this.#stream.wait(this)
    if (!next || !this.#viewer.rate.isReady(this.#onRateReady)) return undefined
    this.#read = next
    this.#viewer.rate.spend(next.message.length)
    return next.message
  }

  onMore(): void {
    this.#viewer.flush()
  }

  /** Skips what is too much to be kept. */
  limit(): void {
    this.#skipAllBut(Math.min(maxUnreadBytes, maxUserUnreadBytes / this.#viewer.userSockets(), this.#mostBytes()))
  }

  onClosed(code: number, reason: string): void {
    if (this.#isShared) this.#viewer.end(code, reason)
  }

  close(): void {
    this.#isShared = false
    this.#viewer.rate.close()
    this.#stream.leave(this)
  }

  readonly #onRateReady = () => {
    this.#skipAllBut(this.#viewer.rate.unreadBytes)
    this.#viewer.flush()
  }

  #skipAllBut(mostBytes: number): void {
    const { end } = this.#stream.last
    this.#skipWhile((next) => end - next.end >= mostBytes)
  }

  #skipWhile(isSkipped: (next: Chunk) => boolean): void {
    while (this.#read.next && isSkipped(this.#read.next)) this.#read = this.#read.next
  }
}
