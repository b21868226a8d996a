import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../tools/commands.ts'
import { run } from './run.ts'

/** Version and platform of the packages. */
export interface Release {
  readonly version: string
  readonly arch: 'x64' | 'arm64'
  /** Time of all files in the packages, in seconds since 1970. */
  readonly epoch: number
}

/** Names of architectures in Debian. */
export const debianArch = { x64: 'amd64', arm64: 'arm64' } as const

/** The release of this working tree for this machine; its time is `SOURCE_DATE_EPOCH`, or else that of the commit. */
export function currentRelease(version = versionOfRepository()): Release {
  const { platform, arch } = process
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64'))
    throw new Error(`Packages are built on Linux on x64 or arm64; this is ${platform} on ${arch}.`)
  if (!/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/.test(version)) throw new Error(`'${version}' is not a version.`)
  const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? run(['git', 'log', '-1', '--format=%ct']))
  if (!Number.isSafeInteger(epoch)) throw new Error('SOURCE_DATE_EPOCH is not a number of seconds.')
  return { version, arch, epoch }
}

function versionOfRepository(): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return version
}
