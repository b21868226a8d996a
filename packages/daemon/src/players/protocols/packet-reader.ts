/** Reads the values of a packet in their order. Throws when the packet is too short. */
export class PacketReader {
  readonly #packet: Buffer
  #at = 0

  constructor(packet: Buffer) {
    this.#packet = packet
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#packet.length
  }

  /** What has not been read yet. */
  get rest(): Buffer {
    return this.#packet.subarray(this.#at)
  }

  bytes(count: number): Buffer {
    const end = this.#at + count
    if (end > this.#packet.length) throw new Error('the answer is too short')
    const bytes = this.#packet.subarray(this.#at, end)
    this.#at = end
    return bytes
  }

  /** Whether these bytes come next, which are read then. */
  skipIf(expected: Buffer): boolean {
    const isNext = this.rest.subarray(0, expected.length).equals(expected)
    if (isNext) this.#at += expected.length
    return isNext
  }

  uint8(): number {
    return this.bytes(1).readUInt8()
  }

  uint16le(): number {
    return this.bytes(2).readUInt16LE()
  }

  uint16be(): number {
    return this.bytes(2).readUInt16BE()
  }

  uint32le(): number {
    return this.bytes(4).readUInt32LE()
  }

  uint32be(): number {
    return this.bytes(4).readUInt32BE()
  }

  /** A text that ends with a zero. */
  text(encoding: 'utf8' | 'latin1' = 'utf8'): string {
    const end = this.#packet.indexOf(0, this.#at)
    if (end === -1) throw new Error('the answer is too short')
    const text = this.#packet.toString(encoding, this.#at, end)
    this.#at = end + 1
    return text
  }
}
