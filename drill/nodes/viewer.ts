import type { ServerMessage } from '@innkeeper/contract/live'
import { WebSocket } from 'ws'
import type { Operator } from './operator.ts'

/** Somebody who reads a console, and goes on where they were when the line breaks, as the page does. */
export class Viewer {
  /** What was read, each byte once. */
  text = ''
  /** How often the line broke. */
  breaks = 0
  /** Bytes that the console said were dropped. */
  missing = 0
  readonly #operator: Operator
  readonly #server: string
  #at: number | undefined
  #awaitsReplay = true
  #socket: WebSocket | undefined
  #isClosed = false
  #retry: NodeJS.Timeout | undefined

  constructor(operator: Operator, server: string) {
    this.#operator = operator
    this.#server = server
    this.#open()
  }

  type(command: string): void {
    this.#socket?.send(JSON.stringify({ type: 'console', command }))
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#socket?.terminate()
  }

  #open(): void {
    const url = `${this.#operator.url.replace(/^http/, 'ws')}/proxy/daemon/socket/${this.#server}`
    const headers = { authorization: this.#operator.authorization }
    const socket = new WebSocket(url, { ca: this.#operator.ca, headers, handshakeTimeout: 10_000 })
    this.#socket = socket
    let wasOpen = false
    socket.on('open', () => {
      wasOpen = true
      this.#awaitsReplay = true
      socket.send(JSON.stringify({ type: 'replay', ...(this.#at === undefined ? {} : { from: this.#at }) }))
    })
    socket.on('message', (frame) => this.#read(JSON.parse(String(frame)) as ServerMessage))
    // Its end tells all.
    socket.on('error', () => {})
    socket.on('close', () => {
      if (this.#isClosed) return
      if (wasOpen) this.breaks++
      this.#retry = setTimeout(() => this.#open(), 300)
    })
  }

  #read(message: ServerMessage): void {
    if (message.type === 'replay') {
      this.#at ??= message.data.from
      this.#awaitsReplay = false
    }
    if (message.type !== 'console' || this.#at === undefined) return
    const { logs, from, to } = message.data
    // What was under way before the answer comes again with it.
    if (to <= this.#at || (this.#awaitsReplay && from > this.#at)) return
    if (from > this.#at) this.missing += from - this.#at
    this.text += Buffer.from(logs.join(''))
      .subarray(Math.max(0, this.#at - from))
      .toString()
    this.#at = to
  }
}

/** What is wrong with numbers that should follow each other; `undefined` when nothing is. */
export function disorderIn(text: string): string | undefined {
  const numbers = text
    .split('\n')
    .filter((line) => /^\d+\r?$/.test(line))
    .map(Number)
  const at = numbers.findIndex((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1)
  return at < 0 ? undefined : `${numbers[at - 1]} is followed by ${numbers[at]}`
}
