import type { Connection } from 'ssh2'

const disconnectMessage = 1

export const disconnectReasons = { byApplication: 11, tooManyConnections: 12, noMoreAuthMethods: 14 } as const
export type DisconnectReason = keyof typeof disconnectReasons

/** The internals of ssh2 that send packets. `receive-window.test.ts` pins the version of ssh2. */
interface CipherInternals {
  allocPacket(payloadBytes: number): Buffer
  encrypt(packet: Buffer): void
}

/**
 * Ends a connection with a text that most clients show. ssh2 itself sends no text, and has no option for that. With
 * another version of ssh2 the text may be missing.
 */
export function disconnect(client: Connection, reason: DisconnectReason, text: string): void {
  const cipher = property(property(client, '_protocol'), '_cipher')
  if (isCipher(cipher)) {
    const bytes = Buffer.from(text)
    const payload = Buffer.alloc(1 + 4 + 4 + bytes.length + 4)
    payload[0] = disconnectMessage
    payload.writeUInt32BE(disconnectReasons[reason], 1)
    payload.writeUInt32BE(bytes.length, 5)
    // Its language tag is empty.
    bytes.copy(payload, 9)
    const packet = cipher.allocPacket(payload.length)
    // Packet length and padding length come first.
    payload.copy(packet, 5)
    cipher.encrypt(packet)
  }
  client.end()
}

function isCipher(value: unknown): value is CipherInternals {
  return typeof property(value, 'allocPacket') === 'function' && typeof property(value, 'encrypt') === 'function'
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
