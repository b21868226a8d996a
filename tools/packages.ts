import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { succeeds } from './commands.ts'

/** Debian packages that the tests use, each with a file (or a pattern of files) that shows it is there. */
const needed: Readonly<Record<string, string>> = {
  'busybox-static': '/bin/busybox',
  chromium: '/usr/bin/chromium',
  'docker.io': '/usr/sbin/dockerd',
  // The program alone: `mariadb-server` would start a server for the whole machine.
  'mariadb-server-core': '/usr/sbin/mariadbd',
  openttd: '/usr/games/openttd',
  'openttd-opengfx': '/usr/share/games/openttd/baseset/opengfx',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
}

/**
 * Installs the missing Debian packages when run as root on a machine with apt.
 * @throws Error that names them when they cannot be installed.
 */
export async function installMissingPackages(): Promise<void> {
  const missing = Object.keys(needed).filter((name) => globSync(needed[name] as string).length === 0)
  if (missing.length === 0) return
  const byHand = `The tests need these Debian packages: ${missing.join(' ')}. Install them with apt-get install.`
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) throw new Error(byHand)
  console.log(`Installing Debian packages: ${missing.join(' ')}`)
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' }
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing]
  if ((await succeeds(['apt-get', 'update', '-qq'], quiet)) && (await succeeds(install, quiet))) return
  throw new Error(byHand)
}
