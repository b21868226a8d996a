/** Timeout of an update or a query. */
export const dnsTimeoutMs = 10_000
/** Seconds for which resolvers may keep a record: a server that moved is found soon. */
export const recordTtl = 60

export const recordTypes = ['A', 'AAAA', 'SRV'] as const
export type RecordType = (typeof recordTypes)[number]

/**
 * All records of a name and type, none when `values` is empty. Values are as in a zone file, without the dot at the end of
 * names: `0 5 25565 lobby.play.example.org`.
 */
export interface RecordSet {
  readonly name: string
  readonly type: RecordType
  readonly values: readonly string[]
}

/** A name server that accepts changes of a zone. Each call throws ErrDnsFailed with the reason. */
export interface DnsProvider {
  /** Replaces these sets, all or none. */
  replace(sets: readonly RecordSet[], signal: AbortSignal): Promise<void>
  /** The sets of these names and types as they are, in the same order. */
  read(sets: readonly RecordSet[], signal: AbortSignal): Promise<RecordSet[]>
  /** Whether the zone has anything under a name. */
  has(name: string, signal: AbortSignal): Promise<boolean>
}

export const sameRecords = (one: readonly RecordSet[], other: readonly RecordSet[]): boolean =>
  JSON.stringify(normalized(one)) === JSON.stringify(normalized(other))

const normalized = (sets: readonly RecordSet[]) =>
  sets
    .filter(({ values }) => values.length > 0)
    .map(({ name, type, values }) => [type, name.toLowerCase(), ...values.map((value) => value.toLowerCase()).sort()])
    .sort((a, b) => String(a).localeCompare(String(b)))
