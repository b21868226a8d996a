// Runs before `npm start` and `npm test`, with the Node.js of the machine: installs packages when the lock file changed, and
// builds the web app and the bundle when their sources changed. JavaScript, because an older Node.js cannot run TypeScript.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const installed = join(root, 'node_modules', '.innkeeper-installed')

const lock = digest([readFileSync(join(root, 'package-lock.json'))])
if (!isStamped(installed, lock)) {
  print('Installing packages. This happens once, and after updates.')
  run(npm(), ['ci', '--no-audit', '--no-fund'])
  writeFileSync(installed, lock)
}

const node = runtime()
const stamp = '.innkeeper-built'
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
build('the web app', 'web', ['packages/web', 'packages/contract', 'docs', 'CHANGELOG.md'], () => [
  vite,
  'build',
  'packages/web',
  '--logLevel',
  'warn',
])
const bundled = ['cli', 'panel', 'daemon', 'contract'].map((name) => `packages/${name}`)
build('the bundle', 'cli', [...bundled, 'tools'], (expected) => [join(root, 'tools', 'bundle.ts'), stamp, expected])

/** Builds the folder `dist` of a package, unless its stamp shows that sources and libraries are unchanged. */
function build(title, name, folders, command) {
  const stampFile = join(root, 'packages', name, 'dist', stamp)
  const sources = folders.flatMap(filesBelow).map((file) => {
    const { size, mtimeMs } = statSync(file)
    return `${relative(root, file)} ${size} ${mtimeMs}\n`
  })
  const expected = digest([lock, ...sources])
  if (isStamped(stampFile, expected)) return
  print(`Building ${title}.`)
  run([node], command(expected))
  if (!isStamped(stampFile, expected)) writeFileSync(stampFile, expected)
}

/** The Node.js that runs the product: the one installed with the packages, or the machine's if it is new enough. */
function runtime() {
  const installedNode = join(root, 'node_modules', '.bin', 'node')
  if (existsSync(installedNode)) return installedNode
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  print(`Innkeeper needs Node.js 24 or newer; this is ${process.versions.node}. Install it and try again.`)
  process.exit(1)
}

function npm() {
  const script = process.env.npm_execpath
  return script?.endsWith('.js') ? [process.execPath, script] : ['npm']
}

function run([file, ...firstArgs], args) {
  const { status, error } = spawnSync(file, [...firstArgs, ...args], { cwd: root, stdio: 'inherit' })
  if (error) print(String(error))
  if (status !== 0) process.exit(status ?? 1)
}

/** The files of a folder, or a single file. */
function filesBelow(folder) {
  if (statSync(join(root, folder)).isFile()) return [join(root, folder)]
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !/[\\/](dist(\.[\w.]+)?|node_modules)[\\/]|\.test\.tsx?$/.test(file))
    .sort()
}

function digest(parts) {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

function isStamped(file, expected) {
  return existsSync(file) && readFileSync(file, 'utf8') === expected
}

function print(text) {
  process.stderr.write(`${text}\n`)
}
