import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Capability, NodeIsolation } from '@innkeeper/contract/nodes'
import type { Exit, LaunchPlan } from '../processes/run.ts'
import { ControlGroups, controls } from './control-groups.ts'
import { type Cell, confined, isExportable, type Owner, privileges } from './launcher.ts'
import { OwnUsers, openWay, tryGiving, type UidRange } from './own-users.ts'

const places = ['/usr/bin/setpriv', '/bin/setpriv']
const unsharePlaces = ['/usr/bin/unshare', '/bin/unshare']
const trialMs = 10_000
/** The exit code of a trial run that sees processes of others. */
const seen = 3

interface Options {
  readonly dataDir: string
  readonly uids?: UidRange | undefined
  readonly isRoot?: boolean
  /** Where `unshare` is looked for. */
  readonly unsharePlaces?: readonly string[]
}

interface Parts {
  readonly groups: ControlGroups
  readonly users: OwnUsers | undefined
  readonly setpriv: string | undefined
  readonly unshare: string | undefined
  readonly isRoot: boolean
  /** Why servers have no users of their own. */
  readonly userLack: string | undefined
  /** Why servers see the processes of others. */
  readonly hidingLack: string | undefined
}

const noSetpriv = 'the program setpriv of util-linux is missing or too old'

/** What keeps servers from each other and from this machine: as much of it as the machine can, and no claim beyond. */
export class Isolation {
  readonly #parts: Parts

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Finds out what can be done here by doing it once. */
  static async open(options: Options): Promise<Isolation> {
    const { dataDir, uids, isRoot = process.getuid?.() === 0 } = options
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const groups = ControlGroups.open({ dataDir, isRoot })
    const users = isRoot ? new OwnUsers(dataDir, uids) : undefined
    const trial = users?.first
    const setpriv = await working(undefined, isRoot)
    const userLack = await whyNoUsers({ dataDir, setpriv, trial })
    const owner = userLack === undefined ? trial : undefined
    const unshare = (options.unsharePlaces ?? unsharePlaces).find((path) => existsSync(path))
    const hidingLack = await whyNotHidden({ groups: [], owner, setpriv, unshare, isRoot })
    return new Isolation({
      groups,
      users: userLack === undefined ? users : undefined,
      setpriv,
      unshare: hidingLack === undefined ? unshare : undefined,
      isRoot,
      userLack,
      hidingLack,
    })
  }

  /** What servers are held to on this node. */
  get abilities(): NodeIsolation {
    const { setpriv, userLack, hidingLack, groups } = this.#parts
    const [memory, cpu, processes] = controls.map((control) => ability(groups.lackOf(control)))
    return {
      user: ability(userLack),
      hiddenProcesses: ability(hidingLack),
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
    return this.#parts.users?.ownerOf(server)
  }

  forget(server: string): void {
    this.#parts.users?.forget(server)
  }

  /** What a run asks for and does not get here, in words for the console. */
  unsupportedFeatures({ limits = {}, env }: Pick<LaunchPlan, 'limits' | 'env'>): readonly string[] {
    const abilities = this.abilities.limits
    const isConfined = this.#parts.groups.isKnown || this.#parts.setpriv !== undefined
    return [
      ...([...controls, 'disk'] as const)
        .filter((limit) => limits[limit] !== undefined && !abilities[limit].enforced)
        .map((limit) => `This node does not hold the server to its limit of ${limit}: ${abilities[limit].reason}`),
      ...Object.keys(env)
        .filter((name) => isConfined && !isExportable(name))
        .map((name) => `The environment variable ${name} is left out: a name has letters, digits and _ only here`),
    ]
  }

  /** Makes the room of a run, and gives what must be started so that it begins in there. */
  isolate(id: string, plan: LaunchPlan): LaunchPlan {
    const { groups, setpriv, unshare, isRoot } = this.#parts
    return confined(plan, { groups: groups.create(id, plan.limits ?? {}), owner: plan.owner, setpriv, unshare, isRoot })
  }

  /** Whether every process of a run is known to the system. */
  get isKnown(): boolean {
    return this.#parts.groups.isKnown
  }

  /** Every process of a run that is known to the system. */
  members(id: string): readonly number[] {
    return this.#parts.groups.members(id)
  }

  kill(id: string): void {
    this.#parts.groups.kill(id)
  }

  /** An exit with what the system knows of it. What the run left behind ends with it. */
  refineExit(id: string, exit: Exit): Exit {
    const isOutOfMemory = this.#parts.groups.ranOutOfMemory(id)
    this.#parts.groups.kill(id)
    return isOutOfMemory ? { ...exit, isOutOfMemory } : exit
  }

  /** Removes the room of a run that has ended. Says whether it is gone. */
  destroy(id: string): Promise<boolean> {
    return this.#parts.groups.destroy(id)
  }

  /** Removes the rooms of runs that nobody knows any more. */
  sweep(known: ReadonlySet<string>): void {
    this.#parts.groups.sweep(known)
  }

  close(): void {
    this.#parts.groups.close()
  }
}

function ability(lack: string | undefined): Capability {
  return lack === undefined ? { enforced: true } : { enforced: false, reason: lack }
}

async function whyNoUsers(given: {
  dataDir: string
  setpriv: string | undefined
  trial: Owner | undefined
}): Promise<string | undefined> {
  if (!given.trial) return 'Innkeeper does not run as root'
  if (given.setpriv === undefined) return noSetpriv
  if ((await working(given.trial, true)) === undefined) return `this system has no users as high as ${given.trial.uid}`
  try {
    tryGiving(given.dataDir, given.trial)
    const closed = openWay(given.dataDir)
    return closed === undefined ? undefined : `other users may not pass the folder ${closed} on the way to their files`
  } catch (cause) {
    // Some file systems know no owners, or let nobody change them.
    return `the data folder lies where files cannot be given to others: ${cause instanceof Error ? cause.message : cause}`
  }
}

/** Why a run cannot be given a `/proc` without the processes of other users; found out with a run that looks for ours. */
async function whyNotHidden(cell: Cell): Promise<string | undefined> {
  if (cell.owner === undefined) return 'servers have no users of their own'
  if (cell.unshare === undefined) return 'the program unshare of util-linux is missing'
  const look = `[ -e /proc/self/stat ] && [ ! -e /proc/${process.pid} ] || exit ${seen}`
  const { file, args, env } = confined(
    { key: 'trial', file: '/bin/sh', args: ['-c', look], cwd: '/', env: {}, owner: cell.owner },
    cell,
  )
  try {
    await promisify(execFile)(file, args, { env, cwd: '/', timeout: trialMs })
    return undefined
  } catch (cause) {
    const { code, stderr = '' } = cause as { code?: unknown; stderr?: string }
    if (code === seen) return 'this system shows all processes to everybody: Linux before 5.8 does'
    const said = stderr.trim().slice(0, 200)
    return `this system does not let Innkeeper mount a /proc for each server, as in a container without CAP_SYS_ADMIN${said && ` (${said})`}`
  }
}

/** The path of a `setpriv` that can do what we need of it. */
async function working(owner: Owner | undefined, isRoot: boolean): Promise<string | undefined> {
  for (const path of places) {
    try {
      const args = [...privileges(owner, isRoot), '--', '/bin/sh', '-c', 'exit 0']
      await promisify(execFile)(path, args, { env: {}, timeout: trialMs })
      return path
    } catch {
      // Missing, too old, or forbidden: the next place, or none.
    }
  }
  return undefined
}
