import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../../tools/commands.ts'
import { type Machine, writeRootFileSystem } from './machine.ts'

/** The version of the packages that the test upgrades to. */
export const newVersion = '99.0.0'

/** Output folders and files of `buildPackages`. */
export const built = {
  rootFileSystem: (folder: string) => join(folder, 'root.tar'),
  /** Packages of the current version, built twice. */
  current: (folder: string) => join(folder, 'current'),
  currentAgain: (folder: string) => join(folder, 'current-again'),
  new: (folder: string) => join(folder, 'new'),
}

/** Copies the packages in a folder to `/root` of a machine, with their checksums. */
export function copyPackages(folder: string, machine: Machine): void {
  for (const file of globSync(join(folder, '{*.tar.gz,*.deb,SHA256SUMS}')))
    cpSync(file, machine.path(`/root/${basename(file)}`))
}

/**
 * Builds all packages, and a minimal Debian to install them in, at the same time.
 * @throws Error when one of them cannot be built, after the other one has ended.
 */
export async function buildPackages(folder: string): Promise<void> {
  const before = performance.now()
  const results = await Promise.allSettled([
    writeRootFileSystem(built.rootFileSystem(folder)),
    (async () => {
      await build(built.current(folder), [])
      await build(built.currentAgain(folder), [], 0o077)
      await build(built.new(folder), ['--version', newVersion])
    })(),
  ])
  for (const result of results) if (result.status === 'rejected') throw result.reason
  console.log(`Built packages and a root file system in ${((performance.now() - before) / 1000).toFixed(1)} s.`)
}

async function build(out: string, options: readonly string[], umask = 0o022): Promise<void> {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const before = process.umask(umask)
  const child = spawn(
    process.execPath,
    [main, 'tarball', 'deb', '--out', out, '--allow-missing-translations', ...options],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  process.umask(before)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`building ${basename(out)} failed`)
}
