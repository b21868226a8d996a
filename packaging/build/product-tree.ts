import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { bundleExternals } from '../../tools/bundle-externals.ts'
import { root } from '../../tools/commands.ts'
import { installedLibraries } from './lock-file.ts'
import type { Release } from './release.ts'
import { npm, run } from './run.ts'
import { billOfMaterials } from './sbom.ts'

/** Files of the repository that the product reads. The keeper runs from its sources; stack traces name the others. */
const sources = ['LICENSE', 'templates', ...['cli', 'contract', 'daemon', 'panel'].map((name) => `packages/${name}`)]
const isForTests = /\.test\.ts$|\/testing\/|\/tsconfig\.json$|^packages\/cli\/bin\//

/** Output folders of the build. */
const builds = ['packages/cli/dist', 'packages/web/dist']

/** Files of libraries that are not needed at run time. */
const unneededFiles = /\.(map|md|markdown|[cm]?ts|tsx|c|cc|cpp|h|hpp|gypi?)$/
const unneededFolders: Readonly<Record<string, RegExp>> = {
  'better-sqlite3': new RegExp(`^(deps|src)/|^prebuilds/(?!linux-${process.arch}\\.node$)`),
  '@fastify/swagger-ui': /^(?!static\/|package\.json$|LICENSE$)/,
  zod: /^src\//,
}

/**
 * Writes the product with its runtime into a new folder. `bin/innkeeper` starts it; the folder can be moved. The contents do not
 * depend on time and path of the build.
 */
export function writeProductTree(folder: string, release: Release): void {
  mkdirSync(folder)
  for (const path of run(['git', 'ls-files', '-z', '--', ...sources])
    .split('\0')
    .filter(Boolean)) {
    if (!isForTests.test(path)) copy(path, folder)
  }
  for (const build of builds) {
    for (const path of filesBelow(build)) if (!basename(path).startsWith('.innkeeper-')) copy(path, folder)
  }
  for (const library of librariesAtRuntime()) {
    const name = library.split('node_modules/').at(-1) ?? ''
    for (const path of filesBelow(library)) {
      const inside = relative(library, path)
      const isNeeded = !unneededFiles.test(inside) && !unneededFolders[name]?.test(inside)
      if (isNeeded && !inside.startsWith('node_modules/')) copy(path, folder)
    }
  }
  mkdirSync(join(folder, 'node_modules/@innkeeper'))
  symlinkSync('../../packages/contract', join(folder, 'node_modules/@innkeeper/contract'))

  const { folder: runtime } = libraryNamed(`node-linux-${release.arch}`)
  cpSync(join(root, runtime, 'bin/node'), join(folder, 'bin/node'))
  cpSync(join(root, 'packaging/innkeeper.sh'), join(folder, 'bin/innkeeper'))
  writeVersion(join(folder, 'packages/cli/package.json'), release.version)
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licenses())
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(release))
  for (const path of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const isProgram = path.isDirectory() || path.parentPath === join(folder, 'bin')
    if (!path.isSymbolicLink()) chmodSync(join(path.parentPath, path.name), isProgram ? 0o755 : 0o644)
  }
  verify(folder, release)
}

/**
 * The folders of all libraries of panel and daemon. Most are inside the bundle, but some of those read data files from
 * their folders, and the keeper loads libraries by name.
 */
function librariesAtRuntime(): string[] {
  const packages = ['cli', 'contract', 'daemon', 'panel'].flatMap((name) => ['-w', `packages/${name}`])
  const printed = run([...npm(), 'ls', '--all', '--parseable', '--omit', 'dev', ...packages])
  const folders = printed.split('\n').filter((path) => path.includes('/node_modules/'))
  return folders.map((path) => relative(root, path)).filter((path) => !/node_modules\/(@types|@innkeeper)\//.test(path))
}

/** Starts the programs, which fails if a library or file is missing. */
function verify(folder: string, { version }: Release): void {
  const node = join(folder, 'bin/node')
  // Libraries outside of the tree must not be found.
  const env = { NODE_PATH: '' }
  const printed = run([join(folder, 'bin/innkeeper'), 'version'], { cwd: '/', env }).trim()
  if (printed !== version) throw new Error(`The version of the package is ${printed} instead of ${version}.`)
  // Without arguments the keeper loads its imports and exits.
  run([node, join(folder, 'packages/daemon/src/keeper/process/main.ts')], { cwd: '/', env })
  const main = JSON.stringify(join(folder, 'packages/cli/dist/main.js'))
  const load = bundleExternals.map((name) => `require(${JSON.stringify(name)})`).join(';')
  run([node, '-e', `const require = process.getBuiltinModule('module').createRequire(${main});${load}`], {
    cwd: '/',
    env,
  })
}

function writeVersion(file: string, version: string): void {
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  writeFileSync(file, `${JSON.stringify({ ...manifest, version }, null, 2)}\n`)
}

/** The license texts of all libraries that are part of the product, also of those inside the bundle. */
function licenses(): string {
  const parts = installedLibraries().flatMap(({ name, version, folder }) => {
    const files = readdirSync(join(root, folder))
      .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
      .sort()
    const texts = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim())
    return texts.length > 0 ? [`${name} ${version}\n\n${texts.join('\n\n')}\n`] : []
  })
  return parts.join(`\n${'-'.repeat(80)}\n\n`)
}

function libraryNamed(name: string): { readonly folder: string } {
  const found = installedLibraries().find((library) => library.name === name)
  if (!found) throw new Error(`The library ${name} is not installed: run npm ci.`)
  return found
}

function filesBelow(folder: string): string[] {
  if (!existsSync(join(root, folder))) throw new Error(`${folder} is missing: run npm ci and npm run build.`)
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

function copy(path: string, folder: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  cpSync(join(root, path), join(folder, path))
}
