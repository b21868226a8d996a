import type { DiskSpace } from '@innkeeper/contract/servers/status'

/**
 * Where bytes are while they are written: under their name, in a temporary file of the server's folder, or outside of it.
 * A measurement may not see the latter two.
 */
export type WritePlace = 'inPlace' | 'staged' | 'outside'

/** Space for bytes that are not under their name yet. It counts as used until it is disposed. */
export interface SpaceReservation extends Disposable {
  /**
   * Runs `write`, which writes so many of the reserved bytes. More than was reserved must fit. Throws ErrDiskLimit when
   * they do not, also when only the file system knows that.
   */
  write<T>(bytes: number, write: () => Promise<T>): Promise<T>
  /** The written bytes are under their name now: they stay counted. */
  settle(): void
}

/** Limits how much is written to the files of a server. */
export interface WriteBudget {
  /** Reserves space in advance. Throws ErrDiskLimit when so many bytes do not fit. */
  reserve(bytes: number, place?: WritePlace): Promise<SpaceReservation>
  /**
   * Runs `write`, which writes so many bytes under their name. Throws ErrDiskLimit when they do not fit, also when only
   * the file system knows that. `replacedBytes` of the used space will be replaced by what is written.
   */
  write<T>(bytes: number, write: () => Promise<T>, replacedBytes?: number): Promise<T>
  /** What is used, also by reservations, and allowed; undefined without a limit. */
  readonly space: DiskSpace | undefined
  /** Throws ErrDiskLimit when so many more bytes do not fit. */
  assertRoom(bytes: number): Promise<void>
}

/** A reservation of files without a limit, or of bytes that are counted elsewhere. */
export const unlimitedReservation: SpaceReservation = {
  write: async (_bytes, write) => await write(),
  settle() {},
  [Symbol.dispose]() {},
}

/** Writes within a budget, if there is one. */
export async function writeWithin<T>(
  budget: WriteBudget | undefined,
  bytes: number,
  write: () => Promise<T>,
  replacedBytes = 0,
): Promise<T> {
  return budget ? await budget.write(bytes, write, replacedBytes) : await write()
}

/** Reserves space of a budget, if there is one. */
export async function reserveWithin(
  budget: WriteBudget | undefined,
  bytes: number,
  place?: WritePlace,
): Promise<SpaceReservation> {
  return budget ? await budget.reserve(bytes, place) : unlimitedReservation
}
