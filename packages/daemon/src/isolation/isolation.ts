import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { promisify } from 'node:util'
import type { ServerLimits } from '@innkeeper/contract/definition'
import type { Ability, NodeIsolation } from '@innkeeper/contract/nodes'
import type { Exit, LaunchPlan } from '../environments/run.ts'
import { ControlGroups, controls } from './control-groups.ts'
import { confined, type Owner, privileges } from './launcher.ts'
import { OwnUsers, openWay, tryGiving, type UidRange } from './own-users.ts'

const places = ['/usr/bin/setpriv', '/bin/setpriv']
const trialMs = 10_000

interface Options {
  readonly dataDir: string
  readonly uids?: UidRange | undefined
  readonly isRoot?: boolean
}

interface Parts {
  readonly groups: ControlGroups
  readonly users: OwnUsers | undefined
  readonly setpriv: string | undefined
  readonly isRoot: boolean
  /** Why servers have no users of their own. */
  readonly userLack: string | undefined
}

const noSetpriv = 'the program setpriv of util-linux is missing or too old'

/** What keeps servers from each other and from this machine: as much of it as the machine can, and no claim beyond. */
export class Isolation {
  readonly #parts: Parts

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Finds out what can be done here by doing it once. */
  static async open({ dataDir, uids, isRoot = process.getuid?.() === 0 }: Options): Promise<Isolation> {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const groups = ControlGroups.open({ dataDir, isRoot })
    const users = isRoot ? new OwnUsers(dataDir, uids) : undefined
    const trial = users?.first
    const setpriv = await working(undefined, isRoot)
    const userLack = await whyNoUsers({ dataDir, setpriv, trial })
    return new Isolation({ groups, users: userLack === undefined ? users : undefined, setpriv, isRoot, userLack })
  }

  /** What servers are held to on this node. */
  get abilities(): NodeIsolation {
    const { setpriv, userLack, groups } = this.#parts
    const [memory, cpu, processes] = controls.map((control) => ability(groups.lackOf(control)))
    return {
      user: ability(userLack),
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

  /** What was asked for and is not held here, in words for the console. */
  shortfalls(limits: Partial<ServerLimits>): readonly string[] {
    const abilities = this.abilities.limits
    return ([...controls, 'disk'] as const)
      .filter((limit) => limits[limit] !== undefined && !abilities[limit].enforced)
      .map((limit) => `This node does not hold the server to its limit of ${limit}: ${abilities[limit].reason}`)
  }

  /** Makes the room of a run, and gives what must be started so that it begins in there. */
  confine(id: string, plan: LaunchPlan): LaunchPlan {
    const { groups, setpriv, isRoot } = this.#parts
    return confined(plan, { groups: groups.create(id, plan.limits ?? {}), owner: plan.owner, setpriv, isRoot })
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
  judge(id: string, exit: Exit): Exit {
    const isOutOfMemory = this.#parts.groups.ranOutOfMemory(id)
    this.#parts.groups.kill(id)
    return isOutOfMemory ? { ...exit, isOutOfMemory } : exit
  }

  /** Removes the room of a run that has ended. Says whether it is gone. */
  clear(id: string): Promise<boolean> {
    return this.#parts.groups.clear(id)
  }

  /** Removes the rooms of runs that nobody knows any more. */
  sweep(known: ReadonlySet<string>): void {
    this.#parts.groups.sweep(known)
  }

  close(): void {
    this.#parts.groups.close()
  }
}

function ability(lack: string | undefined): Ability {
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
