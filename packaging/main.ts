import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { root } from '../tools/commands.ts'
import { readRecord, translationReport } from '../tools/translation-record.ts'
import { writeTarball } from './build/archive.ts'
import { debianVersion, writeDebianPackage } from './build/debian-package.ts'
import { writeProductTree } from './build/product-tree.ts'
import { currentRelease, debianArch } from './build/release.ts'

/**
 * `npm run package -- <tarball|deb>…`: builds packages of this machine's architecture into the folder `dist`, with a
 * software bill of materials and checksums. `--out` is another folder, `--version` another version. A text without a
 * translation stops it, unless `--allow-missing-translations` is given.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string', default: join(root, 'dist') },
    version: { type: 'string' },
    'allow-missing-translations': { type: 'boolean', default: false },
  },
})
const known = ['tarball', 'deb']
if (positionals.length === 0 || positionals.some((name) => !known.includes(name))) {
  console.error(
    'Usage: npm run package -- <tarball|deb>… [--out <folder>] [--version <version>] [--allow-missing-translations]',
  )
  process.exit(2)
}

const { missing, stale, unused } = translationReport(readRecord())
if (missing.length + stale.length + unused.length > 0) {
  console.error(
    `Translations do not match the English texts: ${missing.length} are missing, ${stale.length} stale and ${unused.length} unused. ` +
      '`npm run translations` lists them.',
  )
  if (!values['allow-missing-translations']) process.exit(1)
}

// Files in the packages get the modes of the files written here.
process.umask(0o022)
const release = currentRelease(values.version)
const out = resolve(values.out)
await mkdir(out, { recursive: true })
const work = await mkdtemp(join(tmpdir(), 'innkeeper-package-'))
try {
  const name = `innkeeper-${release.version}-linux-${release.arch}`
  const tree = join(work, name)
  writeProductTree(tree, release)
  await copyFile(join(tree, 'sbom.cdx.json'), join(out, `${name}.cdx.json`))
  const tarball = join(out, `${name}.tar.gz`)
  if (positionals.includes('tarball')) writeTarball(tarball, work, name, release.epoch)
  if (positionals.includes('deb')) {
    const file = `innkeeper_${debianVersion(release.version)}_${debianArch[release.arch]}.deb`
    writeDebianPackage(join(out, file), tree, join(work, 'deb'), release)
  }
} finally {
  await rm(work, { recursive: true, force: true })
}
await writeChecksums(out)
console.log(`The packages are in ${out}.`)

/** Writes `SHA256SUMS` for all packages in a folder; `sha256sum -c SHA256SUMS` checks them. */
async function writeChecksums(folder: string): Promise<void> {
  const lines: string[] = []
  for (const name of (await readdir(folder))
    .filter((file) => /^innkeeper[-_].*\.(tar\.gz|deb|json)$/.test(file))
    .sort()) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(folder, name)), hash)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
  }
  await writeFile(join(folder, 'SHA256SUMS'), lines.join(''))
}
