import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync } from 'node:fs'
import { totalmem } from 'node:os'
import { promisify } from 'node:util'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import type { Capability, NodeIsolation } from '@innkeeper/contract/nodes/nodes'
import type { Owner } from '../fs/owner.ts'
import type { Exit, LaunchOptions } from '../processes/run.ts'
import { ControlGroups, controllers } from './control-groups.ts'
import { type NoQuotas, ProjectQuotas } from './project-quotas.ts'
import {
  isExportable,
  privileges,
  type SandboxSpec,
  sandboxed,
  type TemporaryFolders,
  temporaryFolders,
} from './sandbox.ts'
import { allowTraversal, assertChownWorks, findClosedParent, UidAllocator, type UidRange } from './uid-allocator.ts'

const setprivPaths = ['/usr/bin/setpriv', '/bin/setpriv']
const unsharePaths = ['/usr/bin/unshare', '/bin/unshare']
const probeTimeoutMs = 10_000
const [leastTemporaryMiB, mostTemporaryMiB] = [64, 1024]
/** Exit code of a probe that sees processes of other users. */
const seen = 3

interface Options {
  readonly dataDir: string
  /** A folder on the same file system in which the host is probed, so that the data folder is not changed. */
  readonly probeDir?: string
  readonly uids?: UidRange | undefined
  readonly isRoot?: boolean
  /** Paths of `unshare`. */
  readonly unsharePaths?: readonly string[]
}

interface Capabilities {
  readonly groups: ControlGroups
  readonly users: UidAllocator | undefined
  readonly setpriv: string | undefined
  readonly unshare: string | undefined
  readonly isRoot: boolean
  readonly quotas: ProjectQuotas
  /** Why servers have no users of their own. */
  readonly noUsersReason: string | undefined
  /** Why servers see the processes of others. */
  readonly notHiddenReason: string | undefined
  readonly temporary: TemporaryFolders
  /** Why servers share temporary folders. */
  readonly sharedFoldersReason: string | undefined
}

export type Confinement =
  | { readonly type: 'none' }
  | { readonly type: 'impossible'; readonly reason: string }
  | { readonly type: 'jail'; readonly unshare: string; readonly setpriv: string }

/** What is done about limits of disk space that the file system does not keep. */
const measuredOnly = 'Innkeeper measures the files, warns, and adds no more files beyond the limit itself'

const noSetpriv = formatReason('noSetpriv')

/**
 * Isolates servers from each other and from the host, as far as the host supports it. Reports what it does not enforce.
 */
export class Isolation {
  readonly #capabilities: Capabilities
  readonly #dataDir: string
  #noCopiesReason: Promise<string | undefined> | undefined

  private constructor(capabilities: Capabilities, dataDir: string) {
    this.#capabilities = capabilities
    this.#dataDir = dataDir
  }

  /** Probes what this host supports. */
  static async open(options: Options): Promise<Isolation> {
    const { dataDir, probeDir, uids, isRoot = process.getuid?.() === 0 } = options
    const folder = probeDir ?? dataDir
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const groups = ControlGroups.open({ dataDir: folder, isRoot })
    const users = isRoot ? new UidAllocator(folder, uids) : undefined
    const probeOwner = users?.first
    const setpriv = await findSetpriv(undefined, isRoot)
    const noUsersReason = await readNoUsersReason({ dataDir, probeDir, setpriv, probeOwner })
    const owner = noUsersReason === undefined ? probeOwner : undefined
    const unshare = (options.unsharePaths ?? unsharePaths).find((path) => existsSync(path))
    const notHiddenReason = await readNotHiddenReason({ groups: [], owner, setpriv, unshare, isRoot })
    const temporary = { dataDir: realpathSync(dataDir), appDir: temporaryAppDir(), sizeMiB: temporaryMiB() }
    const sharedFoldersReason =
      notHiddenReason ?? (await readSharedFoldersReason({ groups: [], owner, setpriv, unshare, isRoot, temporary }))
    const quotas = await ProjectQuotas.open({ dataDir: folder, isRoot })
    const capabilities = {
      groups,
      quotas,
      users: noUsersReason === undefined ? users : undefined,
      setpriv,
      unshare: notHiddenReason === undefined ? unshare : undefined,
      isRoot,
      noUsersReason,
      notHiddenReason,
      temporary,
      sharedFoldersReason,
    }
    return new Isolation(capabilities, folder)
  }

  /** What is enforced on this node. */
  get abilities(): NodeIsolation {
    const { setpriv, noUsersReason, notHiddenReason, sharedFoldersReason, groups, quotas } = this.#capabilities
    const [memory, cpu, processes] = controllers.map((control) => ability(groups.missingReason(control)))
    return {
      user: ability(noUsersReason),
      hiddenProcesses: ability(notHiddenReason),
      privateTemporaryFolders: ability(sharedFoldersReason),
      noNewPrivileges: ability(setpriv === undefined ? noSetpriv : undefined),
      limits: {
        memory: memory ?? ability('unknown'),
        cpu: cpu ?? ability('unknown'),
        processes: processes ?? ability('unknown'),
        disk: diskAbility(quotas.missing),
      },
    }
  }

  /**
   * How a program of the daemon that works on the files of a server is confined. Servers that run as the daemon's user
   * could read the same files themselves.
   */
  get confinement(): Confinement {
    const { users, unshare, setpriv, notHiddenReason } = this.#capabilities
    if (!users) return { type: 'none' }
    if (unshare === undefined || setpriv === undefined)
      return { type: 'impossible', reason: notHiddenReason ?? noSetpriv }
    return { type: 'jail', unshare, setpriv }
  }

  /** The user of copies of servers, which must not be that of a server; undefined when there are no such users. */
  get copyOwner(): Owner | undefined {
    return this.#capabilities.users?.getOwner('copy')
  }

  /** Why copies of servers cannot be isolated; undefined when they can. Probed once. */
  async noCopiesReason(): Promise<string | undefined> {
    this.#noCopiesReason ??= this.#probeCopy()
    return await this.#noCopiesReason
  }

  async #probeCopy(): Promise<string | undefined> {
    const { setpriv, unshare, isRoot, temporary, noUsersReason, sharedFoldersReason } = this.#capabilities
    const owner = this.copyOwner
    const reason = noUsersReason ?? sharedFoldersReason
    if (reason !== undefined || owner === undefined) return reason ?? formatReason('noServerUsers')
    const copy = { directory: this.#dataDir, serverDirectory: this.#dataDir }
    const plan = { args: ['-c', 'exit 0'], cwd: '/', owner, copy }
    const failure = await findFailure(plan, { groups: [], owner, setpriv, unshare, isRoot, temporary })
    return failure && `this system does not allow a network without a way out (${failure.stderr})`
  }

  /** Limits of the disk space of servers. */
  get quotas(): ProjectQuotas {
    return this.#capabilities.quotas
  }

  /** The user of a server; undefined when it runs as the daemon's. */
  getOwner(server: string): Owner | undefined {
    return this.#capabilities.users?.getOwner(server)
  }

  forget(server: string): void {
    this.#capabilities.users?.forget(server)
  }

  /** Describes requested limits and variables that this node does not support, as console lines. */
  unsupportedFeatures({ limits = {}, env }: Pick<LaunchOptions, 'limits' | 'env'>): readonly string[] {
    const abilities = this.abilities.limits
    const isConfined = this.#capabilities.groups.isKnown || this.#capabilities.setpriv !== undefined
    return [
      ...([...controllers, 'disk'] as const)
        .filter((limit) => limits[limit] !== undefined && !abilities[limit].enforced)
        .map((limit) => `This node does not enforce the server's limit of ${limit}: ${abilities[limit].reason}`),
      ...Object.keys(env)
        .filter((name) => isConfined && !isExportable(name))
        .map(
          (name) =>
            `The environment variable ${name} is ignored: on this node names can only contain letters, digits and _`,
        ),
    ]
  }

  /** Creates the control groups of a run. Returns the options changed so that its process starts sandboxed. */
  isolate(id: string, plan: LaunchOptions): LaunchOptions {
    const { groups, setpriv, unshare, isRoot, temporary, sharedFoldersReason } = this.#capabilities
    return sandboxed(plan, {
      groups: groups.create(id, plan.limits ?? {}),
      owner: plan.owner,
      setpriv,
      unshare,
      isRoot,
      temporary: sharedFoldersReason === undefined ? temporary : undefined,
    })
  }

  /** Whether the kernel tracks every process of a run. */
  get isKnown(): boolean {
    return this.#capabilities.groups.isKnown
  }

  /** Every process of a run. */
  members(id: string): readonly number[] {
    return this.#capabilities.groups.members(id)
  }

  kill(id: string): void {
    this.#capabilities.groups.kill(id)
  }

  /** Freezes every process of a run until `thaw`. Returns whether they are frozen. */
  freeze(id: string): Promise<boolean> {
    return this.#capabilities.groups.freeze(id)
  }

  thaw(id: string): void {
    this.#capabilities.groups.thaw(id)
  }

  /** Adds to the exit whether it was out of memory, and kills what the run left behind. */
  refineExit(id: string, exit: Exit): Exit {
    const isOutOfMemory = this.#capabilities.groups.ranOutOfMemory(id)
    this.#capabilities.groups.kill(id)
    return isOutOfMemory ? { ...exit, isOutOfMemory } : exit
  }

  /** Removes the control groups of an exited run. Returns whether they are removed. */
  destroy(id: string): Promise<boolean> {
    return this.#capabilities.groups.destroy(id)
  }

  /** Removes the control groups of unknown runs. */
  sweep(known: ReadonlySet<string>): void {
    this.#capabilities.groups.sweep(known)
  }

  close(): void {
    this.#capabilities.groups.close()
  }
}

function ability(missing: string | undefined): Capability {
  return missing === undefined ? { enforced: true } : { enforced: false, reason: missing }
}

function diskAbility(missing: NoQuotas | undefined): Capability {
  if (!missing) return { enforced: true }
  const { code, reason, values } = missing
  return { enforced: false, reason: `${reason}. ${measuredOnly}`, code, ...(values && { values }) }
}

async function readNoUsersReason(options: {
  dataDir: string
  probeDir: string | undefined
  setpriv: string | undefined
  probeOwner: Owner | undefined
}): Promise<string | undefined> {
  if (!options.probeOwner) return formatReason('notRoot')
  if (options.setpriv === undefined) return noSetpriv
  if ((await findSetpriv(options.probeOwner, true)) === undefined)
    return `this system does not support user ids as high as ${options.probeOwner.uid}`
  try {
    assertChownWorks(options.probeDir ?? options.dataDir, options.probeOwner)
    const closed = findClosedParent(options.dataDir)
    if (closed === undefined && options.probeDir === undefined) allowTraversal(options.dataDir)
    return closed === undefined ? undefined : formatReason('closedDirectory', { path: closed })
  } catch (cause) {
    // Some file systems have no owners or do not allow to change them.
    return `the owner of files in the data directory cannot be changed: ${cause instanceof Error ? cause.message : cause}`
  }
}

/**
 * Returns why a run cannot have a `/proc` that hides the processes of other users, by running a probe that looks for
 * the daemon.
 */
async function readNotHiddenReason(spec: SandboxSpec): Promise<string | undefined> {
  if (spec.owner === undefined) return formatReason('noServerUsers')
  if (spec.unshare === undefined) return formatReason('noUnshare')
  const script = `[ -e /proc/self/stat ] && [ ! -e /proc/${process.pid} ] || exit ${seen}`
  const failure = await findFailure({ args: ['-c', script], cwd: '/', owner: spec.owner }, spec)
  if (!failure) return undefined
  const { code, stderr } = failure
  if (code === seen) return formatReason('visibleProcesses')
  return formatReason('noProcMounts', { detail: stderr && ` (${stderr})` })
}

/** Runs a shell in a sandbox. Returns its exit code and the beginning of its errors, or undefined when it succeeded. */
async function findFailure(
  plan: Pick<LaunchOptions, 'args' | 'cwd' | 'owner' | 'copy'>,
  spec: SandboxSpec,
): Promise<{ readonly code: unknown; readonly stderr: string } | undefined> {
  const { file, args, env } = sandboxed({ key: 'trial', file: '/bin/sh', env: {}, ...plan }, spec)
  try {
    await promisify(execFile)(file, args, { env, cwd: '/', timeout: probeTimeoutMs })
    return undefined
  } catch (cause) {
    const { code, stderr = '' } = cause as { code?: unknown; stderr?: string }
    return { code, stderr: stderr.trim().slice(0, 200) }
  }
}

/** Returns why a run cannot have temporary folders of its own, by running a probe that looks for a file. */
async function readSharedFoldersReason(
  spec: SandboxSpec & { temporary: TemporaryFolders },
): Promise<string | undefined> {
  const folder = mkdtempSync('/tmp/innkeeper-trial-')
  const { dataDir } = spec.temporary
  const script = `[ ! -e "${folder}" ] && [ -d "$0" ] || exit ${seen}`
  const plan = { args: ['-c', script, dataDir], cwd: dataDir, owner: spec.owner }
  const failure = await findFailure(plan, spec).finally(() => rmdirSync(folder))
  const detail = failure && (failure.stderr || `code ${String(failure.code)}`)
  return detail && `this system does not allow temporary folders of their own (${detail})`
}

/** The folder in a temporary one that Innkeeper runs from, such as a clone in `/tmp`; empty when it runs from elsewhere. */
function temporaryAppDir(): string {
  const program = realpathSync(process.execPath)
  const folder = temporaryFolders.find((path) => program.startsWith(`${path}/`))
  if (folder === undefined) return ''
  const [first = ''] = program.slice(folder.length + 1).split('/')
  return `${folder}/${first}`
}

/** The size of each temporary folder of a server: it counts as memory. */
function temporaryMiB(): number {
  return Math.max(leastTemporaryMiB, Math.min(mostTemporaryMiB, Math.floor(totalmem() / 2 ** 20 / 4)))
}

/** Returns the path of a `setpriv` with the required options. */
async function findSetpriv(owner: Owner | undefined, isRoot: boolean): Promise<string | undefined> {
  for (const path of setprivPaths) {
    try {
      const args = [...privileges(owner, isRoot), '--', '/bin/sh', '-c', 'exit 0']
      await promisify(execFile)(path, args, { env: {}, timeout: probeTimeoutMs })
      return path
    } catch {
      // Missing, too old, or not executable: tries the next path.
    }
  }
  return undefined
}
