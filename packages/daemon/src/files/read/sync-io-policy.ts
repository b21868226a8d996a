import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../error-code.ts'
import type { DirHandle } from '../path/dir-handle.ts'

/**
 * File systems on a disk or in memory. All others may need another host or a program; the layers of an overlay are
 * unknown inside a container.
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

/** How long the mount table is cached. */
const mountsCacheMs = 1_000
/** An operation that took this long was not small; for a while everything is asynchronous. */
const slowMs = 25
const cooldownMs = 500

/**
 * Decides whether small operations on a directory's disk may be synchronous, where a thread hop would cost several
 * times the operation. Synchronous I/O blocks everything else: never on disks of another host, which may not respond,
 * and never on a disk that was slow recently.
 */
export class SyncIoPolicy {
  readonly #folder: DirHandle
  readonly #slowMs: number
  readonly #cooldownMs: number
  #isLocal = false
  #lookedAt = Number.NEGATIVE_INFINITY
  #asyncUntil = 0

  /** The times can be changed for tests. */
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

  /** Runs a small operation synchronously and measures it. */
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

/** A mount point with its file system type. */
export interface Mount {
  readonly mountPoint: string
  readonly fileSystem: string
  /** Major and minor number of its device; major 0 without a block device. */
  readonly device: string
}

/** Whether a directory and everything below it is on a local disk. */
export function isLocal(folder: string, mounted: readonly Mount[], sysfs = '/sys'): boolean {
  if (mounted.some(({ mountPoint }) => mountPoint.startsWith(`${folder}/`))) return false
  // The last of several mounts at one place is visible.
  const seen = mounted.reduce<Mount | undefined>(
    (best, mount) =>
      isAbove(mount.mountPoint, folder) && mount.mountPoint.length >= (best?.mountPoint.length ?? 0) ? mount : best,
    undefined,
  )
  return (
    seen !== undefined &&
    local.has(seen.fileSystem) &&
    (seen.device.startsWith('0:') || isLocalDisk(seen.device, sysfs))
  )
}

/** Transports of remote disks: iSCSI, Fibre Channel, Ceph. */
const remote = /\/(?:session\d+|rport-[^/]*|rbd)\//
/** The model name of network disks in AWS. */
const remoteModel = 'Amazon Elastic Block Store'

/** Whether a block device is a local disk, as far as the kernel knows; for stacked devices, the underlying ones. */
function isLocalDisk(device: string, sysfs: string): boolean {
  try {
    const folder = join(sysfs, 'dev', 'block', device)
    const mountPoint = `${join(sysfs, 'dev', 'block', readlinkSync(folder))}/`
    const parts = namesIn(join(folder, 'slaves'))
    if (parts.length > 0)
      return parts.every((part) =>
        isLocalDisk(readFileSync(join(folder, 'slaves', part, 'dev'), 'latin1').trim(), sysfs),
      )
    return !mountPoint.includes('/virtual/') && !remote.test(mountPoint) && modelOf(mountPoint) !== remoteModel
  } catch (error) {
    if (codeOf(error) === '') throw error
    // Without an entry in sysfs nothing is known.
    return false
  }
}

function modelOf(mountPoint: string): string | undefined {
  // A partition is a directory in that of its disk.
  for (const disk of [mountPoint, join(mountPoint, '..')]) {
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

const isAbove = (mountPoint: string, folder: string): boolean =>
  folder === mountPoint || folder.startsWith(mountPoint === '/' ? mountPoint : `${mountPoint}/`)

/** Parses `/proc/self/mountinfo`. */
export function parseMounts(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [front = '', back = ''] = line.split(' - ')
    const [, , device, , mountPoint] = front.split(' ')
    const fileSystem = back.split(' ')[0]
    if (device === undefined || mountPoint === undefined || !fileSystem) return []
    // Spaces and similar characters are octal escapes.
    return [
      {
        mountPoint: mountPoint.replace(/\\([0-7]{3})/g, (_, digits: string) =>
          String.fromCharCode(parseInt(digits, 8)),
        ),
        fileSystem,
        device,
      },
    ]
  })
}

let known: readonly Mount[] = []
let knownAt = Number.NEGATIVE_INFINITY

/** The kernel generates it from memory, without disk I/O. */
function mounts(now: number): readonly Mount[] {
  if (now - knownAt > mountsCacheMs) {
    knownAt = now
    known = parseMounts(readFileSync('/proc/self/mountinfo', 'latin1'))
  }
  return known
}
