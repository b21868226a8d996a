import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Capability, NodeIsolation } from '@innkeeper/contract/nodes'
import type { Exit, LaunchOptions } from '../processes/run.ts'
import { ControlGroups, controllers } from './control-groups.ts'
import { isExportable, type Owner, privileges, type SandboxSpec, sandboxed } from './sandbox.ts'
import { assertChownWorks, openTraversal, UidAllocator, type UidRange } from './uid-allocator.ts'

const setprivPaths = ['/usr/bin/setpriv', '/bin/setpriv']
const unsharePaths = ['/usr/bin/unshare', '/bin/unshare']
const probeTimeoutMs = 10_000
/** The exit code of a trial run that sees processes of others. */
const seen = 3

interface Options {
  readonly dataDir: string
  readonly uids?: UidRange | undefined
  readonly isRoot?: boolean
  /** Where `unshare` is looked for. */
  readonly unsharePaths?: readonly string[]
}

interface Capabilities {
  readonly groups: ControlGroups
  readonly users: UidAllocator | undefined
  readonly setpriv: string | undefined
  readonly unshare: string | undefined
  readonly isRoot: boolean
  /** Why servers have no users of their own. */
  readonly noUsersReason: string | undefined
  /** Why servers see the processes of others. */
  readonly notHiddenReason: string | undefined
}

const noSetpriv = 'the program setpriv of util-linux is missing or too old'

/** What keeps servers from each other and from this machine: as much of it as the machine can, and no claim beyond. */
export class Isolation {
  readonly #capabilities: Capabilities

  private constructor(capabilities: Capabilities) {
    this.#capabilities = capabilities
  }

  /** Finds out what can be done here by doing it once. */
  static async open(options: Options): Promise<Isolation> {
    const { dataDir, uids, isRoot = process.getuid?.() === 0 } = options
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const groups = ControlGroups.open({ dataDir, isRoot })
    const users = isRoot ? new UidAllocator(dataDir, uids) : undefined
    const probeOwner = users?.first
    const setpriv = await findSetpriv(undefined, isRoot)
    const noUsersReason = await noUsersReasonOf({ dataDir, setpriv, probeOwner })
    const owner = noUsersReason === undefined ? probeOwner : undefined
    const unshare = (options.unsharePaths ?? unsharePaths).find((path) => existsSync(path))
    const notHiddenReason = await notHiddenReasonOf({ groups: [], owner, setpriv, unshare, isRoot })
    return new Isolation({
      groups,
      users: noUsersReason === undefined ? users : undefined,
      setpriv,
      unshare: notHiddenReason === undefined ? unshare : undefined,
      isRoot,
      noUsersReason,
      notHiddenReason,
    })
  }

  /** What servers are held to on this node. */
  get abilities(): NodeIsolation {
    const { setpriv, noUsersReason, notHiddenReason, groups } = this.#capabilities
    const [memory, cpu, processes] = controllers.map((control) => ability(groups.missingReason(control)))
    return {
      user: ability(noUsersReason),
      hiddenProcesses: ability(notHiddenReason),
      noNewPrivileges: ability(setpriv === undefined ? noSetpriv : undefined),
      limits: {
        memory: memory ?? ability('unknown'),
        cpu: cpu ?? ability('unknown'),
        processes: processes ?? ability('unknown'),
        disk: ability('a server writes its files itself, and Innkeeper sets no disk quotas'),
      },
    }
  }

  /** The user that a server runs as; `undefined` where that is ours. */
  ownerOf(server: string): Owner | undefined {
    return this.#capabilities.users?.ownerOf(server)
  }

  forget(server: string): void {
    this.#capabilities.users?.forget(server)
  }

  /** What a run asks for and does not get here, in words for the console. */
  unsupportedFeatures({ limits = {}, env }: Pick<LaunchOptions, 'limits' | 'env'>): readonly string[] {
    const abilities = this.abilities.limits
    const isConfined = this.#capabilities.groups.isKnown || this.#capabilities.setpriv !== undefined
    return [
      ...([...controllers, 'disk'] as const)
        .filter((limit) => limits[limit] !== undefined && !abilities[limit].enforced)
        .map((limit) => `This node does not hold the server to its limit of ${limit}: ${abilities[limit].reason}`),
      ...Object.keys(env)
        .filter((name) => isConfined && !isExportable(name))
        .map((name) => `The environment variable ${name} is left out: a name has letters, digits and _ only here`),
    ]
  }

  /** Makes the room of a run, and gives what must be started so that it begins in there. */
  isolate(id: string, plan: LaunchOptions): LaunchOptions {
    const { groups, setpriv, unshare, isRoot } = this.#capabilities
    return sandboxed(plan, {
      groups: groups.create(id, plan.limits ?? {}),
      owner: plan.owner,
      setpriv,
      unshare,
      isRoot,
    })
  }

  /** Whether every process of a run is known to the system. */
  get isKnown(): boolean {
    return this.#capabilities.groups.isKnown
  }

  /** Every process of a run that is known to the system. */
  members(id: string): readonly number[] {
    return this.#capabilities.groups.members(id)
  }

  kill(id: string): void {
    this.#capabilities.groups.kill(id)
  }

  /** An exit with what the system knows of it. What the run left behind ends with it. */
  refineExit(id: string, exit: Exit): Exit {
    const isOutOfMemory = this.#capabilities.groups.ranOutOfMemory(id)
    this.#capabilities.groups.kill(id)
    return isOutOfMemory ? { ...exit, isOutOfMemory } : exit
  }

  /** Removes the room of a run that has ended. Says whether it is gone. */
  destroy(id: string): Promise<boolean> {
    return this.#capabilities.groups.destroy(id)
  }

  /** Removes the rooms of runs that nobody knows any more. */
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

async function noUsersReasonOf(options: {
  dataDir: string
  setpriv: string | undefined
  probeOwner: Owner | undefined
}): Promise<string | undefined> {
  if (!options.probeOwner) return 'Innkeeper does not run as root'
  if (options.setpriv === undefined) return noSetpriv
  if ((await findSetpriv(options.probeOwner, true)) === undefined)
    return `this system has no users as high as ${options.probeOwner.uid}`
  try {
    assertChownWorks(options.dataDir, options.probeOwner)
    const closed = openTraversal(options.dataDir)
    return closed === undefined ? undefined : `other users may not pass the folder ${closed} on the way to their files`
  } catch (cause) {
    // Some file systems know no owners, or let nobody change them.
    return `the data folder lies where files cannot be given to others: ${cause instanceof Error ? cause.message : cause}`
  }
}

/** Why a run cannot be given a `/proc` without the processes of other users; found out with a run that looks for ours. */
async function notHiddenReasonOf(spec: SandboxSpec): Promise<string | undefined> {
  if (spec.owner === undefined) return 'servers have no users of their own'
  if (spec.unshare === undefined) return 'the program unshare of util-linux is missing'
  const look = `[ -e /proc/self/stat ] && [ ! -e /proc/${process.pid} ] || exit ${seen}`
  const { file, args, env } = sandboxed(
    { key: 'trial', file: '/bin/sh', args: ['-c', look], cwd: '/', env: {}, owner: spec.owner },
    spec,
  )
  try {
    await promisify(execFile)(file, args, { env, cwd: '/', timeout: probeTimeoutMs })
    return undefined
  } catch (cause) {
    const { code, stderr = '' } = cause as { code?: unknown; stderr?: string }
    if (code === seen) return 'this system shows all processes to everybody: Linux before 5.8 does'
    const said = stderr.trim().slice(0, 200)
    return `this system does not let Innkeeper mount a /proc for each server, as in a container without CAP_SYS_ADMIN${said && ` (${said})`}`
  }
}

/** The path of a `setpriv` that can do what we need of it. */
async function findSetpriv(owner: Owner | undefined, isRoot: boolean): Promise<string | undefined> {
  for (const path of setprivPaths) {
    try {
      const args = [...privileges(owner, isRoot), '--', '/bin/sh', '-c', 'exit 0']
      await promisify(execFile)(path, args, { env: {}, timeout: probeTimeoutMs })
      return path
    } catch {
      // Missing, too old, or forbidden: the next place, or none.
    }
  }
  return undefined
}
