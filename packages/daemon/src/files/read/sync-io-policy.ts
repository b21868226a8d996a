import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../error-code.ts'
import type { DirHandle } from '../path/dir-handle.ts'

/**
 * File systems on a disk, or in memory. All others may have to ask another machine, or a program; where the layers of an
 * overlay are nobody can tell from within a container.
 */
const local: ReadonlySet<string> = new Set([
  'bcachefs',
  'btrfs',
  'ext2',
  'ext3',
  'ext4',
  'f2fs',
  'jfs',
  'ramfs',
  'tmpfs',
  'xfs',
  'zfs',
])

/** What is mounted where is looked up again after so long. */
const mountsCacheMs = 1_000
/** An act that took so long was no small one, and for a while nothing is asked at once. */
const slowMs = 25
const cooldownMs = 500

/**
 * Whether the disk that a folder is on answers small questions at once, so that a thread for each would cost several
 * times the answer. What asks it without a thread holds up everybody else: never a disk of another machine, which may
 * not answer at all, and never a disk that was slow a moment ago.
 */
export class SyncIoPolicy {
  readonly #folder: DirHandle
  readonly #slowMs: number
  readonly #cooldownMs: number
  #isLocal = false
  #lookedAt = Number.NEGATIVE_INFINITY
  #asyncUntil = 0

  /** Other times than the usual ones are for tests. */
  constructor(folder: DirHandle, times: { readonly slowMs?: number; readonly cooldownMs?: number } = {}) {
    this.#folder = folder
    this.#slowMs = times.slowMs ?? slowMs
    this.#cooldownMs = times.cooldownMs ?? cooldownMs
  }

  get mayBlock(): boolean {
    const now = performance.now()
    if (now < this.#asyncUntil) return false
    if (now - this.#lookedAt > mountsCacheMs) {
      this.#lookedAt = now
      this.#isLocal = isLocal(readlinkSync(this.#folder.path), mounts(now))
    }
    return this.#isLocal
  }

  /** Does something small without a thread, and finds out how long that takes. */
  runSync<T>(act: () => T): T {
    const from = performance.now()
    try {
      return act()
    } finally {
      const now = performance.now()
      if (now - from > this.#slowMs) this.#asyncUntil = now + this.#cooldownMs
    }
  }
}

/** A place where a file system is mounted, and which kind that is. */
export interface Mount {
  readonly place: string
  readonly kind: string
  /** Major and minor number of its device; major 0 for what has no block device of its own. */
  readonly device: string
}

/** Whether a folder is on a local disk, and all below it too. */
export function isLocal(folder: string, mounted: readonly Mount[], sysfs = '/sys'): boolean {
  if (mounted.some(({ place }) => place.startsWith(`${folder}/`))) return false
  // Of several at one place the last one is seen.
  const seen = mounted.reduce<Mount | undefined>(
    (best, mount) => (isAbove(mount.place, folder) && mount.place.length >= (best?.place.length ?? 0) ? mount : best),
    undefined,
  )
  return seen !== undefined && local.has(seen.kind) && (seen.device.startsWith('0:') || isLocalDisk(seen.device, sysfs))
}

/** Transports of disks that another machine has: iSCSI, fibre channel, Ceph. */
const remote = /\/(?:session\d+|rport-[^/]*|rbd)\//
/** What clouds call the disks that they serve over a network. */
const remoteModel = 'Amazon Elastic Block Store'

/** Whether a block device is a disk of this machine, as far as the kernel knows; one that stands for others asks those. */
function isLocalDisk(device: string, sysfs: string): boolean {
  try {
    const folder = join(sysfs, 'dev', 'block', device)
    const place = `${join(sysfs, 'dev', 'block', readlinkSync(folder))}/`
    const parts = namesIn(join(folder, 'slaves'))
    if (parts.length > 0)
      return parts.every((part) =>
        isLocalDisk(readFileSync(join(folder, 'slaves', part, 'dev'), 'latin1').trim(), sysfs),
      )
    return !place.includes('/virtual/') && !remote.test(place) && modelOf(place) !== remoteModel
  } catch (error) {
    if (codeOf(error) === '') throw error
    // Without a word about it in sysfs nothing is known of it.
    return false
  }
}

function modelOf(place: string): string | undefined {
  // A partition is a folder in that of its disk.
  for (const disk of [place, join(place, '..')]) {
    const model = textIn(join(disk, 'device', 'model'))
    if (model !== undefined) return model.trim()
  }
  return undefined
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

const isAbove = (place: string, folder: string): boolean =>
  folder === place || folder.startsWith(place === '/' ? place : `${place}/`)

/** Reads what the kernel says in `/proc/self/mountinfo`. */
export function parseMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [front = '', back = ''] = line.split(' - ')
    const [, , device, , place] = front.split(' ')
    const kind = back.split(' ')[0]
    if (device === undefined || place === undefined || !kind) return []
    // Spaces and the like are written as three octal digits.
    return [
      {
        place: place.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8))),
        kind,
        device,
      },
    ]
  })
}

let known: readonly Mount[] = []
let knownAt = Number.NEGATIVE_INFINITY

/** The kernel writes it from memory: no disk is asked. */
function mounts(now: number): readonly Mount[] {
  if (now - knownAt > mountsCacheMs) {
    knownAt = now
    known = parseMounts(readFileSync('/proc/self/mountinfo', 'latin1'))
  }
  return known
}
