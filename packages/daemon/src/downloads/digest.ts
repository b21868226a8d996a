import { createHash, type Hash } from 'node:crypto'

/** A published checksum. */
export interface Digest {
  readonly algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512'
  /** In lower case. */
  readonly hex: string
}

const lengths = { 32: 'md5', 40: 'sha1', 64: 'sha256', 128: 'sha512' } as const

/**
 * Parses a published checksum: hex digits, alone or followed by a file name, or `sha256:…`. Returns undefined when it
 * is none; the algorithm follows from the length.
 */
export function parseDigest(text: string | null | undefined): Digest | undefined {
  const hex = /^\s*(?:sha\d+:)?(?<hex>[0-9a-f]+)(?:\s|$)/i.exec(text ?? '')?.groups?.hex?.toLowerCase() ?? ''
  const algorithm = Object.hasOwn(lengths, hex.length) ? lengths[hex.length as keyof typeof lengths] : undefined
  return algorithm && { algorithm, hex }
}

/** Verifies the checksum of streamed bytes. */
export class DigestCheck {
  readonly #digest: Digest
  readonly #hash: Hash

  constructor(digest: Digest) {
    this.#digest = digest
    this.#hash = createHash(digest.algorithm)
  }

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes)
  }

  /** Throws on a mismatch. */
  end(name: string, source: string): void {
    const { algorithm, hex } = this.#digest
    const found = this.#hash.digest('hex')
    if (found !== hex) throw new ChecksumMismatch(name, source, `its ${algorithm} is ${found} and should be ${hex}`)
  }
}

/** A complete file with another checksum than published. */
export class ChecksumMismatch extends Error {
  override readonly name = 'WrongDigest'

  constructor(file: string, source: string, subject: string) {
    super(`${file} does not match the checksum published by ${source}: ${subject}. It was discarded; try again later`)
  }
}
