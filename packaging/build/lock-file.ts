import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../tools/commands.ts'

interface LockedPackage {
  readonly version: string
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly link?: boolean
}

/** A library of the product, with its folder in the repository. */
export interface Library {
  readonly name: string
  readonly version: string
  readonly folder: string
}

/** Installed libraries of the product, without development tools and libraries of other platforms. */
export function installedLibraries(): Library[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  return Object.entries(lock.packages)
    .filter(([folder, { dev, devOptional, link }]) => folder.includes('node_modules/') && !dev && !devOptional && !link)
    .filter(([folder]) => existsSync(join(root, folder)))
    .map(([folder, { version }]) => ({ name: folder.split('node_modules/').at(-1) ?? '', version, folder }))
    .sort((a, b) => (a.folder < b.folder ? -1 : 1))
}
