import { join } from 'node:path'
import { keySetAudience, SignedKeySet } from '@innkeeper/contract/node-link/ticket'
import { limits } from '@innkeeper/contract/text/limits'
import { safeParseJson } from '@innkeeper/contract/text/parse-json'
import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose'
import type { Logger } from 'pino'
import { z } from 'zod'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import { readTextIfExists } from '../fs/if-exists.ts'

interface Deps {
  readonly dataDir: string
  /** The configured key: the root of trust. */
  readonly publicKey: JWK
  readonly log: Logger
}

const StoredKeys = z.object({
  /** The configured key when this was stored; with another one it is discarded. */
  root: z.string(),
  iat: z.number(),
  keys: SignedKeySet.shape.keys,
})
type StoredKeys = z.infer<typeof StoredKeys>

type Key = Awaited<ReturnType<typeof importJWK>>

/**
 * The keys with which the panel may sign. Initially the configured one; then each key set of the panel that is signed
 * with a trusted key replaces the previous one.
 */
export class PanelKeys {
  readonly #path: string
  readonly #root: JWK
  readonly #log: Logger
  #stored: StoredKeys | undefined
  #isLost = false
  #generation = 0
  /** Imported keys by their public part: every request needs one, and imports are slow. */
  readonly #imported = new Map<string, Promise<Key>>()

  private constructor({ dataDir, publicKey, log }: Deps, stored: StoredKeys | undefined) {
    this.#path = join(dataDir, 'panel-keys.json')
    this.#root = publicKey
    this.#log = log
    this.#stored = stored?.root === publicKey.x ? stored : undefined
  }

  static async open(deps: Deps): Promise<PanelKeys> {
    return new PanelKeys(deps, await readStored(join(deps.dataDir, 'panel-keys.json')))
  }

  /** Grows when another set of keys is trusted. */
  get generation(): number {
    return this.#generation
  }

  /** The ids of the trusted keys. */
  get known(): readonly string[] {
    return this.#stored?.keys.map(({ kid }) => kid) ?? []
  }

  /** The public key for a token; the configured key has no key id. */
  async find(kid: string | undefined): Promise<Key | undefined> {
    const x = this.#stored ? this.#stored.keys.find((key) => key.kid === kid)?.x : this.#root.x
    if (x === undefined) return undefined
    const known = this.#imported.get(x)
    if (known) return await known
    const importing = importJWK({ kty: 'OKP', crv: 'Ed25519', x }, 'EdDSA')
    this.#imported.set(x, importing)
    return await importing
  }

  /** Accepts the panel's key set, which is signed once with each of its keys. Older key sets are ignored. */
  async accept(statements: readonly string[]): Promise<void> {
    const before = this.#stored
    const onInvalid = (err: unknown) => {
      this.#log.debug({ err }, 'rejected a key set of the panel')
      return undefined
    }
    const verified = await Promise.all(statements.map((statement) => this.#verify(statement).catch(onInvalid)))
    const accepted = verified.find((keySet) => keySet !== undefined)
    if (accepted) {
      this.#isLost = false
      if (accepted.iat < (before?.iat ?? 0)) return
      const stored = { root: this.#root.x ?? '', iat: accepted.iat, keys: accepted.keys }
      // Only changes are written: the panel sends it every few seconds.
      if (JSON.stringify(before?.keys) !== JSON.stringify(stored.keys)) {
        await writeFileAtomic(this.#path, JSON.stringify(stored))
        this.#generation++
        this.#log.info({ keys: stored.keys.map(({ kid }) => kid) }, 'accepted the signing keys of the panel')
      }
      this.#stored = stored
    } else if (statements.length > 0 && !this.#isLost) {
      this.#isLost = true
      this.#log.error(
        'the panel signs with keys that this node does not know: replace its secret on the page of the node, and start it with the new configuration',
      )
    }
  }

  /** Returns undefined when the key is unknown. Throws for an invalid signature. */
  async #verify(statement: string): Promise<SignedKeySet | undefined> {
    const key = await this.find(decodeProtectedHeader(statement).kid)
    if (!key) return undefined
    const { payload } = await jwtVerify(statement, key, {
      algorithms: ['EdDSA', 'Ed25519'],
      audience: keySetAudience,
      maxTokenAge: limits.ticketLifeMs / 1000,
      clockTolerance: limits.clockSkewMs / 1000,
    })
    return SignedKeySet.parse(payload)
  }
}

async function readStored(path: string): Promise<StoredKeys | undefined> {
  const text = await readTextIfExists(path)
  if (text === undefined) return undefined
  const { data, error } = safeParseJson(StoredKeys, text)
  if (data) return data
  throw new Error(`${path} is damaged. Restore it from a backup, or remove it and enrol the node again.`, {
    cause: error,
  })
}
