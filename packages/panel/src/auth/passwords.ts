import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import bcrypt from 'bcryptjs'

const derive = promisify(argon2)

/** argon2id parameters: memory in KiB, and passes. */
export interface HashCost {
  readonly memory: number
  readonly passes: number
}

const usualCost: HashCost = { memory: 19_456, passes: 2 }
const parallelism = 1
const tagLength = 32

export interface Passwords {
  hash(password: string): Promise<string>
  /** Takes the same time for an unknown account (`undefined`), and for one without a password. */
  matches(password: string, hash: string | undefined): Promise<boolean>
  /** Whether the hash was imported (bcrypt) and should be replaced. */
  needsRehash(hash: string): boolean
}

interface Options {
  readonly concurrency?: number
  readonly queueLimit?: number
  readonly cost?: HashCost | undefined
}

/** Each hash takes 19 MiB and a thread, so concurrency and queue are limited. */
export function passwords({ concurrency = 2, queueLimit = 200, cost = usualCost }: Options = {}): Passwords {
  const limit = limiter(concurrency, queueLimit)
  const dummyHash = format(randomBytes(16), randomBytes(tagLength), cost)

  return {
    hash: (password) =>
      limit(async () => {
        const salt = randomBytes(16)
        return format(
          salt,
          await derive('argon2id', { ...cost, parallelism, message: password, nonce: salt, tagLength }),
          cost,
        )
      }),

    needsRehash: (hash) => bcryptShape.test(hash),

    matches: (password, hash) =>
      limit(async () => {
        if (hash !== undefined && bcryptShape.test(hash)) return matchesBcrypt(password, hash)
        const stored = parse(hash || dummyHash)
        if (!stored) throw new Error('A stored password hash cannot be read.')
        // Longer passwords were never accepted; the hash is computed anyway, for equal timing.
        const message = Buffer.from(password).subarray(0, limits.passwordMax + 1)
        const { salt: nonce, tag, ...parameters } = stored
        const tried = await derive('argon2id', { ...parameters, message, nonce, tagLength: tag.length })
        return timingSafeEqual(tried, tag) && Boolean(hash) && message.length <= limits.passwordMax
      }),
  }
}

interface Stored {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly salt: Buffer
  readonly tag: Buffer
}

const shape =
  /^\$argon2id\$v=19\$m=(?<memory>\d{1,7}),t=(?<passes>\d{1,2}),p=(?<parallelism>\d{1,2})\$(?<salt>[A-Za-z0-9+/]+)\$(?<tag>[A-Za-z0-9+/]+)$/

/** Imported bcrypt hashes; at most 2^15 rounds, to bound the CPU time. */
const bcryptShape = /^\$2[aby]\$(?:0[4-9]|1[0-5])\$[./A-Za-z0-9]{53}$/

/** The highest cost of an imported argon2id hash, to bound memory and CPU time: 256 MiB, and three times the usual passes. */
const maxImported = { memory: 262_144, passes: 10, parallelism: 16 } as const

/** Whether a hash of another program can be verified here: bcrypt, or argon2id at a bearable cost. */
export function isSupportedHash(hash: string): boolean {
  if (hash.length > 255) return false
  if (bcryptShape.test(hash)) return true
  const stored = parse(hash)
  if (!stored) return false
  const { memory, passes, parallelism: lanes } = stored
  const hasAllowedCost =
    memory <= maxImported.memory && passes >= 1 && passes <= maxImported.passes && lanes <= maxImported.parallelism
  return hasAllowedCost && lanes >= 1 && memory >= 8 * lanes && stored.salt.length >= 8 && stored.tag.length >= 16
}

/** bcrypt ignores everything after 72 bytes, so longer passwords are rejected. */
async function matchesBcrypt(password: string, hash: string): Promise<boolean> {
  if (bcrypt.truncates(password)) return false
  return bcrypt.compare(password, hash)
}

function parse(hash: string): Stored | undefined {
  const part = shape.exec(hash)?.groups
  if (!part?.salt || !part.tag) return undefined
  return {
    memory: Number(part.memory),
    passes: Number(part.passes),
    parallelism: Number(part.parallelism),
    salt: Buffer.from(part.salt, 'base64'),
    tag: Buffer.from(part.tag, 'base64'),
  }
}

function format(salt: Buffer, tag: Buffer, { memory, passes }: HashCost): string {
  const plain = (bytes: Buffer) => trimEnd(bytes.toString('base64'), '=')
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${plain(salt)}$${plain(tag)}`
}

/** Runs at most `concurrency` calls at a time and queues at most `queueLimit`; more are rejected. */
function limiter(atOnce: number, mayWait: number) {
  const waiting: (() => void)[] = []
  let running = 0

  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= mayWait) throw new Refusal('ErrTooManyRequests')
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      // The slot is handed to the next call directly, so that no other call can take it in between.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
