import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The Debian release whose restic (0.18) is tested beside the installed one (0.14), because its output differs. */
const release = 'trixie'
const cache = fileURLToPath(new URL('../../../../node_modules/.cache', import.meta.url))
/** Of Debian's package debian-archive-keyring, which every Debian has. */
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * The path of a restic of a newer Debian release. It comes from where this machine gets its packages, and apt checks the
 * signatures. It is unpacked, not installed.
 */
export function newerRestic(): string {
  const program = join(cache, `restic-${release}`, 'usr', 'bin', 'restic')
  if (existsSync(program)) return program
  const temporary = mkdtempSync(join(tmpdir(), 'innkeeper-restic-'))
  try {
    const run = (file: string, args: readonly string[]) =>
      execFileSync(file, args, { cwd: temporary, encoding: 'utf8' })
    for (const name of ['sources', 'lists/partial', 'cache/archives/partial'])
      mkdirSync(join(temporary, name), { recursive: true })
    const own = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
    const sources = run('apt-get', ['indextargets', '--format', '$(REPO_URI) $(RELEASE) $(COMPONENT)']).split('\n')
    const source = sources.find((line) => line.endsWith(` ${own} main`))?.split(' ')[0]
    if (source === undefined) throw new Error('apt has no source of Debian packages')
    writeFileSync(join(temporary, 'sources', 'newer.list'), `deb [signed-by=${keyring}] ${source} ${release} main\n`)
    const settings = [
      'Dir::Etc::SourceList=/dev/null',
      `Dir::Etc::SourceParts=${join(temporary, 'sources')}`,
      `Dir::State::Lists=${join(temporary, 'lists')}`,
      `Dir::Cache=${join(temporary, 'cache')}`,
      // Other users cannot write to the temporary folder.
      'APT::Sandbox::User=root',
    ]
    const options = ['-qq', ...settings.flatMap((setting) => ['-o', setting])]
    run('apt-get', [...options, 'update'])
    run('apt-get', [...options, 'download', 'restic'])
    const [file = ''] = readdirSync(temporary).filter((name) => name.endsWith('.deb'))
    mkdirSync(cache, { recursive: true })
    const unpacked = mkdtempSync(join(cache, 'restic-'))
    run('dpkg-deb', ['--extract', file, unpacked])
    try {
      renameSync(unpacked, join(cache, `restic-${release}`))
    } catch (error) {
      // Another test was faster.
      rmSync(unpacked, { recursive: true, force: true })
      if (!existsSync(program)) throw error
    }
    return program
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}
