import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import {
  BackupTarget,
  type BackupTargetAddress,
  BackupTargetIds,
  type BackupTargetInput,
  BackupTargetSecrets,
  localTarget,
} from '@innkeeper/contract/backups/backup-targets'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { limits } from '@innkeeper/contract/text/limits'
import { safeParseJson } from '@innkeeper/contract/text/parse-json'
import type { Logger } from 'pino'
import { z } from 'zod/mini'
import { writeFileAtomic } from '../../fs/atomic-write.ts'
import { readTextIfExists } from '../../fs/if-exists.ts'
import { withoutTarget } from '../storage/backup-index.ts'
import { requireCurrent } from '../storage/versions.ts'

/** A target with its secrets. */
export const StoredTarget = z.extend(z.omit(BackupTarget, { error: true, version: true }), {
  secrets: BackupTargetSecrets,
  /** The ID of its repository, once it was opened: an empty folder must not be taken for it later. */
  repository: z.optional(z.string()),
})
export type StoredTarget = z.infer<typeof StoredTarget>

const Stored = z.object({ targets: z.array(StoredTarget), defaults: BackupTargetIds })
type Stored = z.infer<typeof Stored>

/** The targets of this node, with their secrets, in a file that only the daemon's user can read. */
export class TargetStore {
  readonly #path: string
  #stored: Stored

  private constructor(path: string, stored: Stored) {
    this.#path = path
    this.#stored = stored
  }

  /** A damaged file is kept aside: servers must start, and their backups go to the folder of the node. */
  static async open(path: string, log: Logger): Promise<TargetStore> {
    const text = await readTextIfExists(path)
    const none = { targets: [], defaults: [localTarget] }
    if (text === undefined) return new TargetStore(path, none)
    const { data, error } = safeParseJson(Stored, text)
    if (data) return new TargetStore(path, data)
    log.error({ err: error, path }, 'the list of targets of backups is damaged: add them again')
    await rename(path, `${path}.damaged`)
    return new TargetStore(path, none)
  }

  get targets(): readonly StoredTarget[] {
    return this.#stored.targets
  }

  get defaults(): readonly string[] {
    return this.#stored.defaults
  }

  find(id: string): StoredTarget | undefined {
    return this.#stored.targets.find((target) => target.id === id)
  }

  /** Throws ErrNotFound. */
  get(id: string): StoredTarget {
    const target = this.find(id)
    if (!target) throw new Refusal('ErrNotFound')
    return target
  }

  async add({ name, address, secrets = {} }: BackupTargetInput): Promise<string> {
    const id = randomBytes(4).toString('hex')
    await this.#change((stored) => {
      if (stored.targets.length >= limits.backupTargets) throw new Refusal('ErrTooMany', { max: limits.backupTargets })
      return {
        ...stored,
        targets: [...stored.targets, { id, name, address, secrets: requireSecrets(address, secrets) }],
      }
    })
    return id
  }

  /** Throws ErrStaleVersion when the stored target is not `expectedVersion`. */
  async edit(id: string, { name, address, secrets }: BackupTargetInput, expectedVersion?: string): Promise<void> {
    await this.#change((stored) => ({
      ...stored,
      targets: stored.targets.map((target) => {
        if (target.id !== id) return target
        requireCurrent(expectedVersion, getEditablePart(target))
        const isSamePlace = getPlace(target.address) === getPlace(address)
        const { repository } = target
        const used = secretsFor(address, secrets, target)
        return { id, name, address, secrets: used, ...(isSamePlace && repository !== undefined && { repository }) }
      }),
    }))
  }

  async remove(id: string): Promise<void> {
    await this.#change(({ targets, defaults }) => ({
      targets: targets.filter((target) => target.id !== id),
      defaults: withoutTarget(defaults, id),
    }))
  }

  /** Throws ErrStaleVersion when the stored defaults are not `expectedVersion`. */
  async setDefaults(ids: readonly string[], expectedVersion?: string): Promise<void> {
    const defaults = this.requireSelection(ids)
    await this.#change((stored) => {
      requireCurrent(expectedVersion, stored.defaults)
      return { ...stored, defaults }
    })
  }

  async setRepository(id: string, repository: string): Promise<void> {
    await this.#change((stored) => ({
      ...stored,
      targets: stored.targets.map((target) => (target.id === id ? { ...target, repository } : target)),
    }))
  }

  /** Checks a selection of targets and returns it in the order in which they are used. */
  requireSelection(ids: readonly string[]): string[] {
    for (const id of ids) if (id !== localTarget) this.get(id)
    // Copies are made from the folder of the node.
    if (ids.length > 1 && !ids.includes(localTarget)) throw new Refusal('ErrFieldInvalid', { field: 'targets' })
    const remote = this.#stored.targets.map(({ id }) => id).filter((id) => ids.includes(id))
    return ids.includes(localTarget) ? [localTarget, ...remote] : remote
  }

  async #change(change: (stored: Stored) => Stored): Promise<void> {
    await withLock([this], async () => {
      const changed = change(this.#stored)
      await writeFileAtomic(this.#path, JSON.stringify(changed))
      this.#stored = changed
    })
  }
}

/** What administrators see and edit of a target. */
export const getEditablePart = ({ name, address }: StoredTarget) => ({ name, address })

/**
 * The given secrets, or the stored ones: only for the same host and user, so that nobody can have them sent elsewhere.
 * Throws ErrFieldRequired.
 */
export function secretsFor(
  address: Pick<BackupTargetAddress, 'type'> & Partial<BackupTargetAddress>,
  secrets: BackupTargetSecrets | undefined,
  stored: StoredTarget | undefined,
): BackupTargetSecrets {
  const isSameHost = stored !== undefined && getHost(stored.address) === getHost(address as BackupTargetAddress)
  return requireSecrets(address, secrets ?? (isSameHost ? stored.secrets : {}))
}

function requireSecrets(
  { type }: Pick<BackupTargetAddress, 'type'>,
  secrets: BackupTargetSecrets,
): BackupTargetSecrets {
  const { password, privateKey, accessKey, secretKey } = secrets
  const missing = (field: string) => new Refusal('ErrFieldRequired', { field })
  if (type === 'rest') return password === undefined ? {} : { password }
  if (type === 'sftp') {
    if (privateKey) return { privateKey }
    if (!password) throw missing('password')
    return { password }
  }
  if (!accessKey) throw missing('accessKey')
  if (!secretKey) throw missing('secretKey')
  return { accessKey, secretKey }
}

/** To whom secrets are sent, as whom. */
function getHost(address: BackupTargetAddress): string {
  switch (address.type) {
    case 'sftp':
      return JSON.stringify(['sftp', address.host, address.port, address.user])
    case 's3':
      return JSON.stringify(['s3', new URL(address.endpoint).origin])
    case 'rest':
      return JSON.stringify(['rest', new URL(address.url).origin, address.user])
  }
}

/** Where the repository is. */
function getPlace(address: BackupTargetAddress): string {
  switch (address.type) {
    case 'sftp':
      return JSON.stringify([getHost(address), address.path])
    case 's3':
      return JSON.stringify([getHost(address), address.bucket, address.path])
    case 'rest':
      return JSON.stringify([getHost(address), address.url])
  }
}
