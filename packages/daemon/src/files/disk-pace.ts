import { readFileSync, readlinkSync } from 'node:fs'
import type { HeldFolder } from './held-folder.ts'

/** File systems on a disk of this machine, or in its memory. All others may have to ask another machine, or a program. */
const local: ReadonlySet<string> = new Set([
  'bcachefs',
  'btrfs',
  'ext2',
  'ext3',
  'ext4',
  'f2fs',
  'jfs',
  'overlay',
  'ramfs',
  'tmpfs',
  'xfs',
  'zfs',
])

/** What is mounted where is looked up again after so long. */
const knownMs = 1_000
/** An act that took so long was no small one, and for a while nothing is asked at once. */
const slowMs = 25
const restMs = 500

/**
 * Whether the disk that a folder is on answers small questions at once, so that a thread for each would cost several
 * times the answer. What asks it without a thread holds up everybody else: never a disk of another machine, which may
 * not answer at all, and never a disk that was slow a moment ago.
 */
export class DiskPace {
  readonly #folder: HeldFolder
  readonly #slowMs: number
  readonly #restMs: number
  #isLocal = false
  #lookedAt = Number.NEGATIVE_INFINITY
  #restUntil = 0

  /** Other times than the usual ones are for tests. */
  constructor(folder: HeldFolder, times: { readonly slowMs?: number; readonly restMs?: number } = {}) {
    this.#folder = folder
    this.#slowMs = times.slowMs ?? slowMs
    this.#restMs = times.restMs ?? restMs
  }

  get isQuick(): boolean {
    const now = performance.now()
    if (now < this.#restUntil) return false
    if (now - this.#lookedAt > knownMs) {
      this.#lookedAt = now
      this.#isLocal = isLocal(readlinkSync(this.#folder.path), mounts(now))
    }
    return this.#isLocal
  }

  /** Does something small without a thread, and finds out how long that takes. */
  atOnce<T>(act: () => T): T {
    const from = performance.now()
    try {
      return act()
    } finally {
      const now = performance.now()
      if (now - from > this.#slowMs) this.#restUntil = now + this.#restMs
    }
  }
}

/** A place where a file system is mounted, and which kind that is. */
export interface Mount {
  readonly place: string
  readonly kind: string
}

/** Whether a folder is on a local disk, and all below it too. */
export function isLocal(folder: string, mounted: readonly Mount[]): boolean {
  if (mounted.some(({ place }) => place.startsWith(`${folder}/`))) return false
  // Of several at one place the last one is seen.
  const seen = mounted.reduce<Mount | undefined>(
    (best, mount) => (isAbove(mount.place, folder) && mount.place.length >= (best?.place.length ?? 0) ? mount : best),
    undefined,
  )
  return seen !== undefined && local.has(seen.kind)
}

const isAbove = (place: string, folder: string): boolean =>
  folder === place || folder.startsWith(place === '/' ? place : `${place}/`)

/** Reads what the kernel says in `/proc/self/mountinfo`. */
export function parseMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [front = '', back = ''] = line.split(' - ')
    const [place, kind] = [front.split(' ')[4], back.split(' ')[0]]
    if (place === undefined || !kind) return []
    // Spaces and the like are written as three octal digits.
    return [
      { place: place.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8))), kind },
    ]
  })
}

let known: readonly Mount[] = []
let knownAt = Number.NEGATIVE_INFINITY

/** The kernel writes it from memory: no disk is asked. */
function mounts(now: number): readonly Mount[] {
  if (now - knownAt > knownMs) {
    knownAt = now
    known = parseMounts(readFileSync('/proc/self/mountinfo', 'latin1'))
  }
  return known
}
