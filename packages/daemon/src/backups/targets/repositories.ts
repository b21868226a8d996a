import { localTarget } from '@innkeeper/contract/backups/backup-targets'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { repositoryAccess } from '../storage/repository-access.ts'
import { type RemoteRepository, Restic, type ResticDeps } from '../storage/restic.ts'
import type { StoredTarget, TargetStore } from './target-store.ts'

/** A target with its repository. */
export interface Target {
  readonly id: string
  /** As administrators named it. */
  readonly name: string
  readonly restic: Restic
}

/** The repositories of a node, one for each target. */
export class Repositories {
  readonly local: Target
  readonly #deps: ResticDeps
  readonly #store: TargetStore
  readonly #remote = new Map<string, { readonly stored: StoredTarget; readonly restic: Restic }>()
  /** Why the last work failed, by the ID of the target. */
  readonly #errors = new Map<string, Refusal>()

  constructor(deps: ResticDeps, store: TargetStore) {
    this.#deps = deps
    this.#store = store
    this.local = { id: localTarget, name: 'the folder of the node', restic: new Restic(deps) }
  }

  /** The folder of the node first. */
  get all(): readonly Target[] {
    return [this.local, ...this.#store.targets.map(({ id }) => this.get(id))]
  }

  /** Throws ErrNotFound when the target was removed. */
  get(id: string): Target {
    if (id === localTarget) return this.local
    const stored = this.#store.get(id)
    const known = this.#remote.get(id)
    const isCurrent = known?.stored.address === stored.address && known.stored.secrets === stored.secrets
    const restic = isCurrent && known ? known.restic : this.#open(stored)
    this.#remote.set(id, { stored, restic })
    return { id, name: stored.name, restic }
  }

  getError(id: string): Refusal | undefined {
    return this.#errors.get(id)
  }

  /** Records how work on a target ended. */
  readonly report = ({ id }: Target, error: Refusal | undefined): void => {
    if (error && this.#store.find(id)) this.#errors.set(id, error)
    else this.#errors.delete(id)
  }

  /** A repository that is not used for backups yet. */
  trial({ id, access }: Pick<RemoteRepository, 'id' | 'access'>): Restic {
    const { prepareSource } = this
    return new Restic(this.#deps, { id, access, known: undefined, prepareSource, onOpened: async () => {} })
  }

  readonly prepareSource = (signal: AbortSignal): Promise<void> => this.local.restic.prepare(signal)

  #open({ id, address, secrets }: StoredTarget): Restic {
    const [store, { prepareSource }] = [this.#store, this]
    return new Restic(this.#deps, {
      id,
      prepareSource,
      access: repositoryAccess(address, secrets),
      get known() {
        return store.find(id)?.repository
      },
      onOpened: (repository) => store.setRepository(id, repository),
    })
  }
}
