import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerLimits } from '@innkeeper/contract/definitions/definition'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { getCode } from '../errors/error-code.ts'
import { killTimeoutMs } from '../proc/kill-tree.ts'

/** Default limit of processes and threads of a server: enough for any game, too few for a fork bomb. */
export const defaultMaxProcesses = 4_096

/** The limits that control groups can enforce. */
export const controllers = ['memory', 'cpu', 'processes'] as const
export type Control = (typeof controllers)[number]

/** Their controller names in the kernel. */
const kernelNames: Readonly<Record<Control, string>> = { memory: 'memory', cpu: 'cpu', processes: 'pids' }

const cpuPeriodMicroseconds = 100_000
const leastQuotaMicroseconds = 1_000
const pollMs = 10
const freezeTimeoutMs = 1_000

/** One cgroup hierarchy; cgroup v1 has one for each controller. */
interface Hierarchy {
  readonly version: 1 | 2
  /** The parent directory of the runs' groups. */
  readonly folder: string
  readonly controllers: readonly Control[]
}

interface Options {
  readonly dataDir: string
  /** The contents of /proc/self/mounts and /proc/self/cgroup. */
  readonly mounts?: string
  readonly own?: string
  readonly isRoot?: boolean
}

/**
 * The control groups (cgroups v2) of this node's runs, one per run: created before its first process, removed after its last. Named
 * after the run, so that the next daemon finds them.
 */
export class ControlGroups {
  readonly #hierarchies: readonly Hierarchy[]
  /** Why a limit cannot be enforced, by controller. */
  readonly #missing: ReadonlyMap<Control, string>

  private constructor(hierarchies: readonly Hierarchy[], missing: ReadonlyMap<Control, string>) {
    this.#hierarchies = hierarchies
    this.#missing = missing
  }

  /** Probes which controllers can be used on this host. */
  static open({
    dataDir,
    mounts = readFileSync('/proc/self/mounts', 'utf8'),
    own = readFileSync('/proc/self/cgroup', 'utf8'),
    isRoot = process.getuid?.() === 0,
  }: Options): ControlGroups {
    const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 12)
    const hierarchies: Hierarchy[] = []
    const missing = new Map<Control, string>(controllers.map((control) => [control, formatReason('noControlGroups')]))
    const attempt = (controls: readonly Control[], make: () => Hierarchy) => {
      try {
        const created = make()
        probe(created)
        hierarchies.push(created)
        for (const control of created.controllers) missing.delete(control)
      } catch (cause) {
        for (const control of controls) missing.set(control, unusableReason(cause))
      }
    }

    const mounted = parseMounts(mounts)
    const unified = mounted.find(({ type }) => type === 'cgroup2')?.path
    if (unified !== undefined) {
      const controllerNames = wordsIn(join(unified, 'cgroup.controllers'))
      const available = controllers.filter((control) => controllerNames.includes(kernelNames[control]))
      attempt(available, () => unifiedHierarchy(isRoot ? unified : delegated(unified, own), name, available))
    }
    for (const control of controllers.filter((control) => missing.has(control))) {
      const older = mounted.find(
        ({ type, options }) => type === 'cgroup' && options.includes(kernelNames[control]),
      )?.path
      if (older === undefined) continue
      attempt([control], () => {
        const folder = join(older, 'innkeeper', name)
        mkdirSync(folder, { recursive: true })
        return { version: 1, folder, controllers: [control] }
      })
    }
    return new ControlGroups(hierarchies, missing)
  }

  /** Whether there is any hierarchy, so that all processes of a run are known. */
  get isKnown(): boolean {
    return this.#hierarchies.length > 0
  }

  /** Why the node cannot enforce this limit; undefined when it can. */
  missingReason(control: Control): string | undefined {
    return this.#missing.get(control)
  }

  /** Creates the groups of a run. Returns the files that a process must write to in order to join them. */
  create(id: string, limits: Partial<ServerLimits>): readonly string[] {
    try {
      return this.#hierarchies.map((hierarchy) => {
        const group = join(hierarchy.folder, id)
        mkdirSync(group, { recursive: true })
        for (const control of hierarchy.controllers) limit(group, hierarchy.version, control, limits)
        return join(group, 'cgroup.procs')
      })
    } catch (cause) {
      this.#remove(id)
      throw new Error('failed to create a control group', { cause })
    }
  }

  /** Every process of a run. */
  members(id: string): readonly number[] {
    // Children are created in the groups of their parent, so one hierarchy suffices.
    const [any] = this.#hierarchies
    return any ? wordsIn(join(any.folder, id, 'cgroup.procs')).map(Number) : []
  }

  /** Kills every process of a run, atomically where the kernel supports cgroup.kill. */
  kill(id: string): void {
    const members = this.members(id)
    // A daemon that runs inside one of its own servers must be able to finish the job.
    if (members.includes(process.pid)) return
    const killed = this.#hierarchies.filter(({ folder }) => writeIfExists(join(folder, id, 'cgroup.kill'), '1'))
    if (killed.length === 0) for (const pid of members) end(pid)
  }

  /**
   * Freezes every process of a run until `thaw`. Returns whether they are frozen: some systems cannot, and a process
   * that waits for a disk may take too long.
   */
  async freeze(id: string): Promise<boolean> {
    const group = this.#unifiedGroup(id)
    if (group === undefined || !writeIfExists(join(group, 'cgroup.freeze'), 1)) return false
    const deadline = performance.now() + freezeTimeoutMs
    while (!/^frozen 1$/m.test(textIn(join(group, 'cgroup.events')))) {
      if (performance.now() >= deadline) {
        this.thaw(id)
        return false
      }
      await pause(pollMs)
    }
    return true
  }

  /** Lets the processes of a run go on. */
  thaw(id: string): void {
    const group = this.#unifiedGroup(id)
    if (group !== undefined) writeIfExists(join(group, 'cgroup.freeze'), 0)
  }

  #unifiedGroup(id: string): string | undefined {
    const unified = this.#hierarchies.find(({ version }) => version === 2)
    return unified && join(unified.folder, id)
  }

  /** Whether the OOM killer killed a process of the run because the group exceeded its memory limit. */
  ranOutOfMemory(id: string): boolean {
    return this.#hierarchies
      .filter(({ controllers }) => controllers.includes('memory'))
      .some(({ folder, version }) => {
        const file = join(folder, id, version === 2 ? 'memory.events' : 'memory.oom_control')
        const count = /^oom_kill (\d+)$/m.exec(textIn(file))?.[1]
        return Number(count ?? 0) > 0
      })
  }

  /** Kills what is left of an exited run and removes its groups. Returns whether they are removed. */
  async destroy(id: string): Promise<boolean> {
    const deadline = performance.now() + killTimeoutMs
    for (;;) {
      this.kill(id)
      if (this.#remove(id)) return true
      if (performance.now() >= deadline) return false
      await pause(pollMs)
    }
  }

  /** Removes groups of unknown runs that an earlier daemon left; groups with processes stay. */
  sweep(known: ReadonlySet<string>): void {
    const names = new Set(this.#hierarchies.flatMap(({ folder }) => groupsIn(folder)))
    for (const name of names) if (!known.has(name)) this.#remove(name)
  }

  /** Removes this node's parent groups when nothing runs any more. */
  close(): void {
    for (const { folder } of this.#hierarchies) tryRmdir(folder)
  }

  #remove(id: string): boolean {
    return this.#hierarchies.map(({ folder }) => tryRmdir(join(folder, id))).every(Boolean)
  }
}

/** All controllers in one hierarchy, below a group that is delegated to us. */
function unifiedHierarchy(parent: string, name: string, controllers: readonly Control[]): Hierarchy {
  const folder = join(parent, 'innkeeper', name)
  mkdirSync(folder, { recursive: true })
  for (const group of [parent, dirname(folder), folder]) enable(group, controllers)
  return { version: 2, folder, controllers }
}

function enable(group: string, controllers: readonly Control[]): void {
  const file = join(group, 'cgroup.subtree_control')
  const enabled = wordsIn(file)
  const missing = controllers
    .map((control) => kernelNames[control])
    .filter((controller) => !enabled.includes(controller))
  if (missing.length > 0) writeFileSync(file, missing.map((controller) => `+${controller}`).join(' '))
}

/**
 * The delegated group, for example by systemd. A group with enabled controllers may contain no process itself: those in
 * it, the daemon included, are moved to a child group.
 */
function delegated(mount: string, own: string): string {
  const path = /^0::(.*)$/m.exec(own)?.[1] ?? '/'
  const group = join(mount, path)
  if (path.endsWith('/daemon')) return dirname(group)
  const inner = join(group, 'daemon')
  mkdirSync(inner, { recursive: true })
  for (const pid of wordsIn(join(group, 'cgroup.procs'))) writeFileSync(join(inner, 'cgroup.procs'), pid)
  return group
}

function probe({ folder, controllers, version }: Hierarchy): void {
  const group = join(folder, `try-${process.pid}`)
  mkdirSync(group, { recursive: true })
  try {
    for (const control of controllers) limit(group, version, control, { memory: 1024, cpu: 100, processes: 100 })
  } finally {
    tryRmdir(group)
  }
}

function limit(group: string, version: 1 | 2, control: Control, limits: Partial<ServerLimits>): void {
  const write = (file: string, value: string | number) => writeFileSync(join(group, file), String(value))
  const { memory, cpu, processes = defaultMaxProcesses } = limits
  if (control === 'processes') write('pids.max', Math.max(1, Math.floor(processes)))
  if (control === 'memory' && memory !== undefined) {
    const bytes = Math.floor(memory * 1024 * 1024)
    write(version === 2 ? 'memory.max' : 'memory.limit_in_bytes', bytes)
    // Otherwise the server would swap instead. Systems without swap accounting have no such file.
    writeIfExists(
      join(group, version === 2 ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes'),
      version === 2 ? 0 : bytes,
    )
    // The OOM killer kills the whole group: a server with only some of its processes is worse than none.
    if (version === 2) writeIfExists(join(group, 'memory.oom.group'), 1)
  }
  if (control === 'cpu' && cpu !== undefined) {
    const quota = Math.max(leastQuotaMicroseconds, Math.floor((cpu / 100) * cpuPeriodMicroseconds))
    if (version === 2) write('cpu.max', `${quota} ${cpuPeriodMicroseconds}`)
    else {
      write('cpu.cfs_period_us', cpuPeriodMicroseconds)
      write('cpu.cfs_quota_us', quota)
    }
  }
}

function parseMounts(text: string): { path: string; type: string; options: readonly string[] }[] {
  return text.split('\n').flatMap((line) => {
    const [, path, type, options] = line.split(' ')
    if (path === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return []
    const plain = path.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
    return [{ path: plain, type, options: options?.split(',') ?? [] }]
  })
}

/** Empty when the file does not exist: the group is gone. */
function textIn(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENODEV', 'EOPNOTSUPP'].includes(getCode(error))) return ''
    throw error
  }
}

function wordsIn(path: string): string[] {
  return textIn(path).split(/\s+/).filter(Boolean)
}

function groupsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (getCode(error) !== 'ESRCH') throw error
  }
}

/** Returns whether the file exists. */
function writeIfExists(path: string, text: string | number): boolean {
  try {
    if (!existsSync(path)) return false
    writeFileSync(path, String(text))
    return true
  } catch (error) {
    if (!['ENOENT', 'ENODEV'].includes(getCode(error))) throw error
    return false
  }
}

/** Returns false while the group has processes. */
function tryRmdir(group: string): boolean {
  try {
    rmdirSync(group)
    return true
  } catch (error) {
    if (getCode(error) === 'ENOENT') return true
    if (['EBUSY', 'ENOTEMPTY'].includes(getCode(error))) return false
    throw error
  }
}

function unusableReason(cause: unknown): string {
  switch (getCode(cause)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return formatReason('controlGroupsForbidden')
    case 'EBUSY':
      return formatReason('controlGroupsShared')
    default:
      return `control groups cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}
