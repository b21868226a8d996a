import type { BuiltIns } from '@innkeeper/contract/definitions/conditions'
import {
  type Environment as EnvironmentDefinition,
  findEnvironmentType,
  getEnvironment,
  getLimits,
  type ServerDefinition,
} from '@innkeeper/contract/definitions/definition'
import type { ServerContext } from '../../environments/docker/docker.ts'
import { DeniedFiles } from '../../files/path/denied-files.ts'
import type { DiscardSink } from '../../files/path/discard-sink.ts'
import { RootFs } from '../../files/root.ts'
import type { WriteBudget } from '../../files/space/write-budget.ts'
import { chosenTexts, type FilledText } from '../../operations/context/filled-command.ts'
import type { Environment, LaunchOptions } from '../../processes/run.ts'
import type { SharedStore } from '../../runtimes/shared-store.ts'
import { assertContained, assertPathVariables } from '../launch/contained-values.ts'
import {
  conditionContext,
  environmentVariables,
  locationInEnvironment,
  type ServerLocation,
  templateVariables,
} from '../launch/launch.ts'
import { isOnPath } from '../launch/requirements.ts'

export interface ServerEnvironmentDeps {
  readonly location: ServerLocation
  /** Throws ErrUnknownEnvironment, or ErrFieldInvalid for an invalid container. */
  readonly environmentFor: (environment: EnvironmentDefinition, context: ServerContext) => Environment
  readonly sharedStore: SharedStore
  /** Limits what steps write. */
  readonly budget: WriteBudget
}

/** A definition on its node: what all processes of the server are started with. */
export class ServerEnvironment {
  readonly definition: ServerDefinition
  readonly #deps: ServerEnvironmentDeps

  constructor(definition: ServerDefinition, deps: ServerEnvironmentDeps) {
    this.definition = definition
    this.#deps = deps
  }

  /** Whether the daemon enforces the limits. The Docker Engine enforces those of containers itself. */
  get enforcesLimits(): boolean {
    return findEnvironmentType(getEnvironment(this.definition)) !== 'docker'
  }

  /** Limits and user of the server's processes. */
  get resources(): Required<Pick<LaunchOptions, 'limits'>> & Pick<LaunchOptions, 'owner'> {
    const limits = getLimits(getEnvironment(this.definition), this.definition.data)
    return { limits, owner: this.#deps.location.owner }
  }

  get conditionContext(): Omit<BuiltIns, 'success'> {
    return conditionContext(this.definition, this.#deps.location)
  }

  /** The values of `${name}`. */
  templateVariables(): Map<string, string> {
    return templateVariables(this.definition, this.#location)
  }

  environmentVariables(values: ReadonlyMap<string, string>): Record<string, string> {
    return environmentVariables(this.definition, values, this.#location)
  }

  /** The environment variables of a script in a container of its own, where `rootDir` is the server's directory. */
  scriptVariables(values: ReadonlyMap<string, string>, rootDir: string): Record<string, string> {
    const location = { id: this.#deps.location.id, rootDir, isImageUser: true }
    return environmentVariables(this.definition, new Map(values).set('rootDir', rootDir), location)
  }

  /**
   * Refuses arguments with values of users, and environment variables with them, through which a process would use files
   * outside of the server's directory; in a container there are none. Throws ErrFieldNotPath or ErrIllegalFileAccess.
   */
  async assertContained(
    files: RootFs,
    { chosen, values, cwd }: { chosen: readonly FilledText[]; values: ReadonlyMap<string, string>; cwd: string },
  ): Promise<void> {
    const { data, run } = this.definition
    assertPathVariables(data)
    if (findEnvironmentType(getEnvironment(this.definition)) === 'docker') return
    const declared = Object.values(run.environmentVars ?? {}).map((text) => text ?? '')
    const texts = [...chosen, ...chosenTexts(declared, values, data)]
    await assertContained(texts, { files, rootDir: this.#deps.location.rootDir, cwd })
  }

  /** Throws ErrUnknownEnvironment, or ErrFieldInvalid for an invalid container. */
  environment(): Environment {
    const { environmentFor, location } = this.#deps
    const variables = this.definition.data
    const context = { rootDir: location.rootDir, variables, values: this.templateVariables() }
    return environmentFor(getEnvironment(this.definition), context)
  }

  /**
   * Opens the server's files. They are owned by the server's user from its first process on. Some are kept from users, see
   * `deniedFiles` of the definition.
   */
  async openFiles(discarded?: DiscardSink, { isForUser = false } = {}): Promise<RootFs> {
    const { location, budget } = this.#deps
    const { rootDir, owner } = location
    const denied = isForUser ? () => DeniedFiles.of(this.definition.deniedFiles) : undefined
    return await RootFs.open(rootDir, { create: true, owner, discarded, budget, denied })
  }

  /** Whether the server's processes find a program in PATH. The PATH of an image is unknown. */
  async isInPath(name: string): Promise<boolean> {
    const { sharedStore, location } = this.#deps
    const { path = sharedStore.runtimes.getFolder(location.id) } = this.#location
    return await isOnPath(name, path)
  }

  get #location() {
    return locationInEnvironment(this.definition, this.#deps.location)
  }
}
