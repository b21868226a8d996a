import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from '../../tools/commands.ts'
import { debianArch, type Release } from './release.ts'
import { run } from './run.ts'

const source = join(root, 'packaging/debian')
const scripts = ['postinst', 'prerm', 'postrm']

/** The mode of files and folders that differ from 644 and 755. */
const modes: Readonly<Record<string, number>> = {
  'etc/innkeeper': 0o750,
  'etc/innkeeper/config.json': 0o640,
  // The mode that Innkeeper sets: users of servers can pass through.
  'var/lib/innkeeper': 0o711,
}

/** Writes the Debian package of a product tree, which it moves into `work`. */
export function writeDebianPackage(file: string, tree: string, work: string, release: Release): void {
  const place = (path: string, from: string) => {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    cpSync(from, join(work, path), { recursive: true, verbatimSymlinks: true })
  }
  place('usr/lib/innkeeper', tree)
  for (const [name, path] of [
    ['LICENSE', 'usr/share/doc/innkeeper/copyright'],
    ['THIRD-PARTY-LICENSES.txt', 'usr/share/doc/innkeeper/THIRD-PARTY-LICENSES.txt'],
    ['sbom.cdx.json', 'usr/share/doc/innkeeper/sbom.cdx.json'],
  ] as const) {
    place(path, join(tree, name))
    rmSync(join(work, 'usr/lib/innkeeper', name))
  }
  for (const unit of ['innkeeper.service', 'innkeeper-panel.service'])
    place(`usr/lib/systemd/system/${unit}`, join(source, unit))
  place('usr/lib/sysusers.d/innkeeper.conf', join(source, 'sysusers.conf'))
  place('etc/innkeeper/config.json', join(source, 'config.json'))
  mkdirSync(join(work, 'var/lib/innkeeper'), { recursive: true })
  mkdirSync(join(work, 'usr/bin'))
  symlinkSync('../lib/innkeeper/bin/innkeeper', join(work, 'usr/bin/innkeeper'))
  for (const entry of readdirSync(work, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const isProgram = entry.isDirectory() || (statSync(path).mode & 0o111) !== 0
    if (!entry.isSymbolicLink()) chmodSync(path, modes[relative(work, path)] ?? (isProgram ? 0o755 : 0o644))
  }
  chmodSync(work, 0o755)

  writeControlFiles(work, release)
  run(['dpkg-deb', '--root-owner-group', '-Zzstd', '-z6', '--build', work, file], {
    env: { SOURCE_DATE_EPOCH: String(release.epoch) },
  })
}

function writeControlFiles(work: string, { version, arch }: Release): void {
  const files = readdirSync(work, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(work, join(entry.parentPath, entry.name)))
    .sort()
  const kibibytes = files.reduce((sum, path) => sum + Math.ceil(statSync(join(work, path)).size / 1024), 0)
  const sums = files
    .filter((path) => !path.startsWith('etc/'))
    .map(
      (path) =>
        `${createHash('md5')
          .update(readFileSync(join(work, path)))
          .digest('hex')}  ${path}\n`,
    )
  const control = readFileSync(join(source, 'control'), 'utf8')
    .replace('@version@', debianVersion(version))
    .replace('@architecture@', debianArch[arch])
    .replace('@size@', String(kibibytes))
  mkdirSync(join(work, 'DEBIAN'))
  const write = (name: string, text: string, mode = 0o644) => {
    writeFileSync(join(work, 'DEBIAN', name), text)
    chmodSync(join(work, 'DEBIAN', name), mode)
  }
  write('control', control)
  write('conffiles', '/etc/innkeeper/config.json\n')
  write('md5sums', sums.join(''))
  for (const script of scripts) write(script, readFileSync(join(source, script), 'utf8'), 0o755)
}

/** A pre-release comes before its release: `1.0.0-rc.1` is `1.0.0~rc.1`. */
export const debianVersion = (version: string): string => version.replace('-', '~')
