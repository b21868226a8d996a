import { createHash, type Hash } from 'node:crypto'

/** What a file must be, as whoever publishes it says. */
export interface Digest {
  readonly algorithm: 'md5' | 'sha1' | 'sha256' | 'sha512'
  /** In lower case. */
  readonly hex: string
}

const lengths = { 32: 'md5', 40: 'sha1', 64: 'sha256', 128: 'sha512' } as const

/**
 * A digest as it is published: hex digits, alone or before the name of the file, or `sha256:…`. `undefined` for what is
 * none; the algorithm follows from the length.
 */
export function parseDigest(text: string | null | undefined): Digest | undefined {
  const hex = /^\s*(?:sha\d+:)?(?<hex>[0-9a-f]+)(?:\s|$)/i.exec(text ?? '')?.groups?.hex?.toLowerCase() ?? ''
  const algorithm = Object.hasOwn(lengths, hex.length) ? lengths[hex.length as keyof typeof lengths] : undefined
  return algorithm && { algorithm, hex }
}

/** Takes the bytes of a file, and tells in the end whether they are what was published. */
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

  /** Throws when they are something else. */
  end(name: string, source: string): void {
    const { algorithm, hex } = this.#digest
    const found = this.#hash.digest('hex')
    if (found !== hex) throw new ChecksumMismatch(name, source, `its ${algorithm} is ${found} and should be ${hex}`)
  }
}

/** A file that is whole and not what it should be. */
export class ChecksumMismatch extends Error {
  override readonly name = 'WrongDigest'

  constructor(file: string, source: string, what: string) {
    super(`${file} is not what ${source} publishes: ${what}. It was thrown away; try again later`)
  }
}
