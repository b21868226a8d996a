import type { ServerMessage } from '@innkeeper/contract/servers/live'
import { WebSocket } from 'ws'
import type { ApiClient } from './api-client.ts'

/** Reads a console over the WebSocket. Reconnects and resumes at its position, as the web app does. */
export class ConsoleClient {
  /** The output so far, each byte once. */
  text = ''
  /** How often an open connection was lost. */
  disconnects = 0
  /** The number of bytes that the node no longer had. */
  droppedBytes = 0
  readonly #client: ApiClient
  readonly #server: string
  #position: number | undefined
  #isAwaitingReplay = true
  #socket: WebSocket | undefined
  #isClosed = false
  #retry: NodeJS.Timeout | undefined

  constructor(client: ApiClient, server: string) {
    this.#client = client
    this.#server = server
    this.#open()
  }

  sendCommand(command: string): void {
    this.#socket?.send(JSON.stringify({ type: 'console', command }))
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#socket?.terminate()
  }

  #open(): void {
    const url = `${this.#client.url.replace(/^http/, 'ws')}/proxy/daemon/socket/${this.#server}`
    const headers = { authorization: this.#client.authorization }
    const socket = new WebSocket(url, { ca: this.#client.ca, headers, handshakeTimeout: 10_000 })
    this.#socket = socket
    let wasOpen = false
    socket.on('open', () => {
      wasOpen = true
      this.#isAwaitingReplay = true
      socket.send(JSON.stringify({ type: 'replay', ...(this.#position === undefined ? {} : { from: this.#position }) }))
    })
    socket.on('message', (frame) => this.#read(JSON.parse(String(frame)) as ServerMessage))
    // A `close` event follows.
    socket.on('error', () => {})
    socket.on('close', () => {
      if (this.#isClosed) return
      if (wasOpen) this.disconnects++
      this.#retry = setTimeout(() => this.#open(), 300)
    })
  }

  #read(message: ServerMessage): void {
    if (message.type === 'replay') {
      this.#position ??= message.data.from
      this.#isAwaitingReplay = false
    }
    if (message.type !== 'console' || this.#position === undefined) return
    const { logs, from, to } = message.data
    // Output sent before the reply to `replay` is part of that reply.
    if (to <= this.#position || (this.#isAwaitingReplay && from > this.#position)) return
    if (from > this.#position) this.droppedBytes += from - this.#position
    this.text += Buffer.from(logs.join(''))
      .subarray(Math.max(0, this.#position - from))
      .toString()
    this.#position = to
  }
}

/** Describes the first gap or repetition in lines that count up; `undefined` when there is none. */
export function findSequenceError(text: string): string | undefined {
  const numbers = text
    .split('\n')
    .filter((line) => /^\d+\r?$/.test(line))
    .map(Number)
  const index = numbers.findIndex((number, i) => i > 0 && number !== (numbers[i - 1] ?? 0) + 1)
  return index < 0 ? undefined : `${numbers[index - 1]} is followed by ${numbers[index]}`
}
