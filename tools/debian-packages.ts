import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { succeeds } from './commands.ts'

/** Debian packages that the tests use, each with a file (or glob pattern) whose existence proves that it is installed. */
const testPackages: Readonly<Record<string, string>> = {
  'armagetronad-dedicated': '/usr/games/armagetronad-dedicated.real',
  'busybox-static': '/bin/busybox',
  'bzflag-server': '/usr/games/bzfs',
  bzip2: '/usr/bin/bzip2',
  'chromium-headless-shell': '/usr/bin/chromium-headless-shell',
  curl: '/usr/bin/curl',
  'docker.io': '/usr/sbin/dockerd',
  'freeciv-server': '/usr/games/freeciv-server',
  git: '/usr/bin/git',
  lftp: '/usr/bin/lftp',
  'libarchive-tools': '/usr/bin/bsdtar',
  lzip: '/usr/bin/lzip',
  'minetest-server': '/usr/lib/minetest/minetestserver',
  'mumble-server': '/usr/sbin/murmurd',
  'openssh-client': '/usr/bin/sftp',
  'openssh-server': '/usr/sbin/sshd',
  'openssh-sftp-server': '/usr/lib/openssh/sftp-server',
  openssl: '/usr/bin/openssl',
  openttd: '/usr/games/openttd',
  'openttd-opengfx': '/usr/share/games/openttd/baseset/opengfx',
  'p7zip-full': '/usr/bin/7z',
  podman: '/usr/bin/podman',
  prometheus: '/usr/bin/promtool',
  'putty-tools': '/usr/bin/psftp',
  python3: '/usr/bin/python3',
  'python3-asyncssh': '/usr/lib/python3/dist-packages/asyncssh',
  'python3-fusepy': '/usr/lib/python3/dist-packages/fusepy.py',
  'python3-paramiko': '/usr/lib/python3/dist-packages/paramiko',
  quota: '/usr/sbin/setquota',
  rclone: '/usr/bin/rclone',
  restic: '/usr/bin/restic',
  sshfs: '/usr/bin/sshfs',
  'teeworlds-server': '/usr/games/teeworlds-server',
  unzip: '/usr/bin/unzip',
  'wesnoth-1.16-server': '/usr/games/wesnothd-1.16',
  xfsprogs: '/usr/sbin/mkfs.xfs',
  'xz-utils': '/usr/bin/xz',
  zip: '/usr/bin/zip',
  zstd: '/usr/bin/zstd',
}

/** What only the slow tests use: games with much data, databases, and a pooler of connections. */
export const slowTestPackages: Readonly<Record<string, string>> = {
  ...testPackages,
  bind9: '/usr/sbin/named',
  'bind9-dnsutils': '/usr/bin/nsupdate',
  'crossfire-server': '/usr/sbin/crossfire-server',
  'ddnet-server': '/usr/games/DDNet-Server',
  hedgewars: '/usr/lib/hedgewars/bin/hedgewars-server',
  // Only the program: the package `mariadb-server` would start a service.
  'mariadb-server-core': '/usr/sbin/mariadbd',
  nftables: '/usr/sbin/nft',
  'openarena-server': '/usr/lib/ioquake3/ioq3ded',
  'php-cli': '/usr/bin/php',
  'pdns-backend-sqlite3': '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql',
  'pdns-server': '/usr/sbin/pdns_server',
  pgbouncer: '/usr/sbin/pgbouncer',
  postgresql: '/usr/lib/postgresql/*/bin/postgres',
  qstat: '/usr/bin/quakestat',
  warzone2100: '/usr/games/warzone2100',
}

/**
 * Installs missing Debian packages. Needs root and apt.
 * @throws Error with the missing packages when they cannot be installed.
 */
export async function installMissingPackages(packages = testPackages): Promise<void> {
  const missing = Object.keys(packages).filter((name) => globSync(packages[name] as string).length === 0)
  if (missing.length === 0) return
  const instruction = `Debian packages are missing. Install them: apt-get install ${missing.join(' ')}`
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) throw new Error(instruction)
  console.log(`Installing Debian packages: ${missing.join(' ')}`)
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...missing]
  if ((await succeeds(['apt-get', 'update', '-qq'], env)) && (await succeeds(install, env))) return
  throw new Error(instruction)
}
