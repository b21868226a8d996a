import { readFile, realpath } from 'node:fs/promises'

/** A mounted file system. */
export interface Mount {
  readonly mountPoint: string
  /** For example `ext4`. */
  readonly type: string
  /** Options of the mount and of its file system. */
  readonly options: readonly string[]
}

/** Returns the mount that holds a directory. */
export async function readMount(directory: string): Promise<Mount | undefined> {
  return findMount(await readFile('/proc/self/mountinfo', 'utf8'), await realpath(directory))
}

/** The mount with the longest mount point above a path. Of several at one mount point, the last one is on top. */
export function findMount(mountinfo: string, path: string): Mount | undefined {
  let found: Mount | undefined
  for (const line of mountinfo.split('\n')) {
    const mount = parseMount(line)
    if (!mount || !isWithin(path, mount.mountPoint)) continue
    if (!found || mount.mountPoint.length >= found.mountPoint.length) found = mount
  }
  return found
}

/** `36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/sda1 rw,prjquota`, see proc(5). */
function parseMount(line: string): Mount | undefined {
  const [mount = '', fileSystem = ''] = line.split(' - ')
  const [, , , , mountPoint, options = ''] = mount.split(' ')
  const [type, , superOptions = ''] = fileSystem.split(' ')
  if (mountPoint === undefined || type === undefined) return undefined
  return { mountPoint: fromOctal(mountPoint), type, options: [...options.split(','), ...superOptions.split(',')] }
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** Blanks and backslashes are octal. */
const fromOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
