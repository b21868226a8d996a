import type { ClientMessage, ServerMessage } from '@innkeeper/contract/servers/live'
import type { Socket } from '../reconnecting-socket.ts'

/** The other end of a live socket, in a test's hand. */
export class FakeWebSocket extends EventTarget implements Socket {
  readonly sent: ClientMessage[] = []
  isClosed = false

  send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
    if (typeof data === 'string') this.sent.push(JSON.parse(data))
  }

  close(): void {
    this.isClosed = true
  }

  /** The handshake is through. */
  opens(): void {
    this.dispatchEvent(new Event('open'))
  }

  /** Receives a message from the node. */
  says(message: ServerMessage): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  }

  /** The connection is gone. */
  falls(code = 1006): void {
    this.dispatchEvent(new CloseEvent('close', { code }))
  }

  /** The sent messages of one type. */
  getSent<T extends ClientMessage['type']>(type: T): Extract<ClientMessage, { type: T }>[] {
    return this.sent.filter((message): message is Extract<ClientMessage, { type: T }> => message.type === type)
  }
}
