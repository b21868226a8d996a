import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '@innkeeper/contract/limits'
import { keySetAudience, SignedKeySet } from '@innkeeper/contract/ticket'
import { decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose'
import type { Logger } from 'pino'
import { z } from 'zod'
import { codeOf } from '../files/error-code.ts'
import { writeSecretAtomic } from './secret-file.ts'

interface Deps {
  readonly dataDir: string
  /** The key of the configuration: where trust begins. */
  readonly publicKey: JWK
  readonly log: Logger
}

const StoredKeys = z.object({
  /** The key of the configuration with which this began; another one begins anew. */
  root: z.string(),
  iat: z.number(),
  keys: SignedKeySet.shape.keys,
})
type StoredKeys = z.infer<typeof StoredKeys>

type Key = Awaited<ReturnType<typeof importJWK>>

/**
 * The keys with which the panel may sign. It begins with the one of the configuration; from then on each statement of
 * the panel, signed with a key that is believed already, says which ones count, and those alone.
 */
export class PanelKeys {
  readonly #path: string
  readonly #root: JWK
  readonly #log: Logger
  #stored: StoredKeys | undefined
  #isLost = false
  /** By what is public of them: every request asks. */
  readonly #imported = new Map<string, Promise<Key>>()

  private constructor({ dataDir, publicKey, log }: Deps, kept: StoredKeys | undefined) {
    this.#path = join(dataDir, 'panel-keys.json')
    this.#root = publicKey
    this.#log = log
    this.#stored = kept?.root === publicKey.x ? kept : undefined
  }

  static async open(deps: Deps): Promise<PanelKeys> {
    return new PanelKeys(deps, await readStored(join(deps.dataDir, 'panel-keys.json')))
  }

  /** The names of the keys that the panel said to believe. */
  get known(): readonly string[] {
    return this.#stored?.keys.map(({ kid }) => kid) ?? []
  }

  /** The key with which a token would have to be signed; the first one was given without its name. */
  async find(kid: string | undefined): Promise<Key | undefined> {
    const x = this.#stored ? this.#stored.keys.find((key) => key.kid === kid)?.x : this.#root.x
    if (x === undefined) return undefined
    const held = this.#imported.get(x)
    if (held) return await held
    const importing = importJWK({ kty: 'OKP', crv: 'Ed25519', x }, 'EdDSA')
    this.#imported.set(x, importing)
    return await importing
  }

  /** Takes over what the panel says, once with each of its keys. Words that are older than those before are not heard. */
  async accept(statements: readonly string[]): Promise<void> {
    const before = this.#stored
    const accepted = (await Promise.all(statements.map((statement) => this.#read(statement)))).find(
      (statement) => statement !== undefined,
    )
    if (accepted) {
      this.#isLost = false
      if (accepted.iat < (before?.iat ?? 0)) return
      const kept = { root: this.#root.x ?? '', iat: accepted.iat, keys: accepted.keys }
      // Only what is new has to be written: the panel says it every few seconds.
      if (JSON.stringify(before?.keys) !== JSON.stringify(kept.keys)) {
        await writeSecretAtomic(this.#path, JSON.stringify(kept))
        this.#log.info({ keys: kept.keys.map(({ kid }) => kid) }, 'the panel said which keys it signs with')
      }
      this.#stored = kept
    } else if (statements.length > 0 && !this.#isLost) {
      this.#isLost = true
      this.#log.error(
        'the panel signs with keys that this node does not know: replace its secret on the page of the node, and start it with the new configuration',
      )
    }
  }

  async #read(statement: string): Promise<SignedKeySet | undefined> {
    try {
      const key = await this.find(decodeProtectedHeader(statement).kid)
      if (!key) return undefined
      const { payload } = await jwtVerify(statement, key, {
        algorithms: ['EdDSA', 'Ed25519'],
        audience: keySetAudience,
        maxTokenAge: limits.ticketLifeMs / 1000,
        clockTolerance: limits.clockSkewMs / 1000,
      })
      return SignedKeySet.parse(payload)
    } catch (error) {
      this.#log.debug({ err: error }, 'a statement about the keys of the panel is not believed')
      return undefined
    }
  }
}

async function readStored(path: string): Promise<StoredKeys | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    return StoredKeys.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(`${path} is damaged. Restore it from a backup, or remove it and let the node join anew.`, { cause })
  }
}
