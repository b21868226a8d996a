import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { BackupError } from './backup-error.ts'

/**
 * Layout of an encrypted file: magic, log2 of scrypt's N (1 byte), salt, nonce prefix, then chunks of AES-256-GCM, each
 * followed by its tag. All chunks but the last are full. The nonce of a chunk is the prefix, the number of the chunk and
 * whether it is the last one, so that chunks can be neither reordered nor cut off (the STREAM construction). The header
 * is authenticated with each chunk.
 */
const magic = Buffer.from('innkeeper backup, encrypted 1\n')
const [saltBytes, prefixBytes, tagBytes] = [16, 7, 16]
const headerBytes = magic.length + 1 + saltBytes + prefixBytes
const chunkBytes = 64 * 1024
/** About half a second and 128 MiB for each guess of a passphrase. */
const defaultCostLog2 = 17
const maxCostLog2 = 18

export function isEncrypted(start: Buffer): boolean {
  return start.subarray(0, magic.length).equals(magic)
}

export async function* encrypt(
  source: AsyncIterable<Buffer>,
  passphrase: string,
  costLog2 = defaultCostLog2,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(saltBytes)
  const prefix = randomBytes(prefixBytes)
  const header = Buffer.concat([magic, Buffer.of(costLog2), salt, prefix])
  const key = await readKey(passphrase, salt, costLog2)
  yield header
  for await (const { chunk, index, isLast } of readChunks(source, chunkBytes)) {
    const cipher = createCipheriv('aes-256-gcm', key, getNonce(prefix, index, isLast))
    cipher.setAAD(header)
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  }
}

/**
 * Yields only data that is authentic.
 * @throws BackupError for a wrong passphrase or a damaged file
 */
export async function* decrypt(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  let header: Buffer | undefined
  let key: Buffer = Buffer.alloc(0)
  for await (const { chunk, index, isLast } of readChunks(source, chunkBytes + tagBytes, headerBytes)) {
    if (!header) {
      header = chunk
      const cost = header[magic.length] ?? 0
      if (header.length < headerBytes || isLast || cost > maxCostLog2) throw new BackupError('The file is damaged.')
      key = await readKey(passphrase, header.subarray(magic.length + 1, -prefixBytes), cost)
      continue
    }
    const at = chunk.length - tagBytes
    if (at < 0) throw new BackupError('The file is damaged: it is incomplete.')
    const decipher = createDecipheriv('aes-256-gcm', key, getNonce(header.subarray(-prefixBytes), index - 1, isLast))
    decipher.setAAD(header)
    decipher.setAuthTag(chunk.subarray(at))
    const plain = decipher.update(chunk.subarray(0, at))
    try {
      decipher.final()
    } catch (cause) {
      const reason = index === 1 ? 'The passphrase is wrong, or the file is damaged.' : 'The file is damaged.'
      throw new BackupError(reason, { cause })
    }
    yield plain
  }
}

interface Chunk {
  readonly chunk: Buffer
  readonly index: number
  readonly isLast: boolean
}

/** Splits a stream into chunks of a size, the first one of `firstBytes`. There is at least one, and only the last is short. */
async function* readChunks(source: AsyncIterable<Buffer>, bytes: number, firstBytes = bytes): AsyncGenerator<Chunk> {
  let waiting: Buffer[] = []
  let length = 0
  let index = 0
  for await (const part of source) {
    waiting.push(part)
    length += part.length
    // A chunk of full size may be the last one, so it waits for the next byte.
    if (length <= (index === 0 ? firstBytes : bytes)) continue
    let whole = Buffer.concat(waiting)
    for (;;) {
      const size = index === 0 ? firstBytes : bytes
      if (whole.length <= size) break
      yield { chunk: whole.subarray(0, size), index: index++, isLast: false }
      whole = whole.subarray(size)
    }
    waiting = [whole]
    length = whole.length
  }
  yield { chunk: Buffer.concat(waiting), index, isLast: true }
}

function getNonce(prefix: Buffer, index: number, isLast: boolean): Buffer {
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(index)
  return Buffer.concat([prefix, counter, Buffer.of(isLast ? 1 : 0)])
}

function readKey(passphrase: string, salt: Buffer, logN: number): Promise<Buffer> {
  const cost = { N: 2 ** logN, r: 8, p: 1, maxmem: 256 * 2 ** logN * 8 }
  return new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFC'), salt, 32, cost, (error, key) => (error ? reject(error) : resolve(key))),
  )
}
