import { clientSubnet } from './client-subnet.ts'

/** How many connections of a listener may be open. */
export interface ConnectionLimits {
  /** In all. */
  readonly total: number
  /** Not authenticated, from one address. */
  readonly perAddress: number
  /** Authenticated, of one owner. */
  readonly perOwner: number
}

/** The limit of open files that the service units set. A higher one does not allow more connections. */
const maxOpenFiles = 65_536

/**
 * Limits for a process that may have this many files open. Of its descriptors a panel takes at most a fifth for its
 * clients, and each of them may need two more for a node in the same process; a node takes half, its SFTP server a
 * sixteenth, and as much for open handles, which may take two each. The rest is a reserve for files, databases and
 * processes.
 */
export function connectionLimits(openFiles = maxOpenFiles) {
  const files = Math.min(openFiles, maxOpenFiles)
  const [panel, node, sftp] = [share(files, 5), share(files, 2), share(files, 16)]
  return {
    panel: { total: panel, perAddress: Math.min(512, share(panel, 4)), perOwner: share(panel, 8) },
    // All users of a panel come from one address, and many at once after a restart.
    node: { total: node, perAddress: Math.min(2_048, share(node, 4)), perOwner: 32 },
    sftp: { total: sftp, perAddress: Math.min(64, share(sftp, 4)), perOwner: 32 },
    sftpHandles: { total: share(files, 16), perOwner: share(files, 64) },
  } satisfies Record<string, ConnectionLimits | Omit<ConnectionLimits, 'perAddress'>>
}

function share(count: number, parts: number): number {
  return Math.max(1, Math.floor(count / parts))
}

/** Interval of warnings. */
const warnEveryMs = 60_000

/** Returns a function that says that connections are closed because of a limit, at most once a minute. */
export function limitWarning(warn: (message: string) => void): (address: string | undefined) => void {
  let warnedAt = Number.NEGATIVE_INFINITY
  return (address = 'the unix socket') => {
    if (performance.now() - warnedAt < warnEveryMs) return
    warnedAt = performance.now()
    warn(
      `too many connections are open, in all or from one address: the oldest ones without a sign-in are closed, now one from ${address}`,
    )
  }
}

interface Entry {
  /** Absent when the limit per address does not apply. */
  subnet: string | undefined
  owner: string | undefined
  /** Of a trusted proxy, which serves many addresses and owners. */
  isProxy: boolean
}

/**
 * Counts the open connections of a listener from the moment they are accepted. At a limit a new connection replaces the
 * oldest that is not authenticated, so that those who hold connections open cannot keep others out.
 */
export class ConnectionLimiter<C> {
  readonly #limits: ConnectionLimits
  readonly #entries = new Map<C, Entry>()
  /** Not authenticated, oldest first; in all and by subnet. */
  readonly #waiting = new Set<C>()
  readonly #waitingBySubnet = new Map<string, Set<C>>()
  readonly #byOwner = new Map<string, number>()

  constructor(limits: ConnectionLimits) {
    this.#limits = limits
  }

  /** Number of open connections. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * Counts an accepted connection. Returns the one that the caller must close, which may be this one; it is no longer
   * counted. The address is undefined on a unix socket. For a proxy there is only the limit in all.
   */
  open(connection: C, address: string | undefined, isProxy = false): C | undefined {
    const subnet = isProxy || address === undefined ? undefined : clientSubnet(address)
    const replaced = this.#replacedInSubnet(subnet) ?? this.#replacedInAll(connection)
    if (replaced !== undefined) this.close(replaced)
    if (replaced === connection) return replaced
    const entry: Entry = { subnet: undefined, owner: undefined, isProxy }
    this.#entries.set(connection, entry)
    this.#waiting.add(connection)
    this.#joinSubnet(connection, entry, subnet)
    return replaced
  }

  /** A connection is not that of a trusted proxy, as it seemed. Returns the one that the caller must close. */
  distrust(connection: C, address: string): C | undefined {
    const entry = this.#entries.get(connection)
    if (!entry) return undefined
    entry.isProxy = false
    if (!this.#waiting.has(connection)) return undefined
    const subnet = clientSubnet(address)
    const replaced = this.#replacedInSubnet(subnet)
    if (replaced !== undefined) this.close(replaced)
    this.#joinSubnet(connection, entry, subnet)
    return replaced
  }

  /**
   * The connection has authenticated itself and is not replaced any more. Returns `false` when its owner has too many
   * connections; then nothing changes.
   */
  authenticate(connection: C, owner?: string): boolean {
    const entry = this.#entries.get(connection)
    if (!entry) return true
    if (owner !== undefined && !entry.isProxy && owner !== entry.owner) {
      if ((this.#byOwner.get(owner) ?? 0) >= this.#limits.perOwner) return false
      this.#setOwner(entry, owner)
    }
    this.#waiting.delete(connection)
    this.#leaveSubnet(connection, entry)
    return true
  }

  /** The connection has ended. */
  close(connection: C): void {
    const entry = this.#entries.get(connection)
    if (!entry) return
    this.#entries.delete(connection)
    this.#waiting.delete(connection)
    this.#leaveSubnet(connection, entry)
    this.#setOwner(entry, undefined)
  }

  /** The connection to close for a new one in this subnet; undefined while there is room. */
  #replacedInSubnet(subnet: string | undefined): C | undefined {
    const neighbours = subnet === undefined ? undefined : this.#waitingBySubnet.get(subnet)
    return neighbours && neighbours.size >= this.#limits.perAddress ? findFirst(neighbours) : undefined
  }

  /** The connection to close for a new one, which may be the new one; undefined while there is room. */
  #replacedInAll(connection: C): C | undefined {
    if (this.#entries.size < this.#limits.total) return undefined
    return this.#waiting.size > 0 ? findFirst(this.#waiting) : connection
  }

  #joinSubnet(connection: C, entry: Entry, subnet: string | undefined): void {
    entry.subnet = subnet
    if (subnet === undefined) return
    const waiting = this.#waitingBySubnet.get(subnet) ?? new Set()
    this.#waitingBySubnet.set(subnet, waiting.add(connection))
  }

  #leaveSubnet(connection: C, entry: Entry): void {
    if (entry.subnet === undefined) return
    const waiting = this.#waitingBySubnet.get(entry.subnet)
    waiting?.delete(connection)
    if (waiting?.size === 0) this.#waitingBySubnet.delete(entry.subnet)
    entry.subnet = undefined
  }

  #setOwner(entry: Entry, owner: string | undefined): void {
    if (entry.owner !== undefined) {
      const others = (this.#byOwner.get(entry.owner) ?? 1) - 1
      if (others > 0) this.#byOwner.set(entry.owner, others)
      else this.#byOwner.delete(entry.owner)
    }
    if (owner !== undefined) this.#byOwner.set(owner, (this.#byOwner.get(owner) ?? 0) + 1)
    entry.owner = owner
  }
}

function findFirst<C>(set: ReadonlySet<C>): C | undefined {
  const [first] = set
  return first
}
