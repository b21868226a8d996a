// Runs before `npm start` and `npm test`, with whatever Node.js the machine has: installs what the lock file names
// and builds the web app and the bundle when their sources changed. Plain JavaScript, because an older Node.js cannot run
// TypeScript.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const installed = join(root, 'node_modules', '.innkeeper-installed')

const lock = digest([readFileSync(join(root, 'package-lock.json'))])
if (!isStamped(installed, lock)) {
  say('Installing packages. This happens once, and after updates.')
  run(npm(), ['ci', '--no-audit', '--no-fund'])
  writeFileSync(installed, lock)
}

const node = runtime()
const stamp = '.innkeeper-built'
const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
build('the web app', 'web', ['packages/web', 'packages/contract', 'docs'], () => [
  vite,
  'build',
  'packages/web',
  '--logLevel',
  'warn',
])
const bundled = ['cli', 'panel', 'daemon', 'contract'].map((name) => `packages/${name}`)
build('the bundle', 'cli', [...bundled, 'tools'], (wanted) => [join(root, 'tools', 'bundle.ts'), stamp, wanted])

/** Makes the folder `dist` of a package, unless it was made from these very sources and libraries. */
function build(what, name, folders, command) {
  const made = join(root, 'packages', name, 'dist', stamp)
  const sources = folders.flatMap(filesBelow).map((file) => {
    const { size, mtimeMs } = statSync(file)
    return `${relative(root, file)} ${size} ${mtimeMs}\n`
  })
  const wanted = digest([lock, ...sources])
  if (isStamped(made, wanted)) return
  say(`Building ${what}.`)
  run([node], command(wanted))
  if (!isStamped(made, wanted)) writeFileSync(made, wanted)
}

/** The Node.js that runs the product: the one installed with the packages, or the machine's if it is new enough. */
function runtime() {
  const own = join(root, 'node_modules', '.bin', 'node')
  if (existsSync(own)) return own
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  say(`Innkeeper needs Node.js 24 or newer; this is ${process.versions.node}. Install it and try again.`)
  process.exit(1)
}

function npm() {
  const script = process.env.npm_execpath
  return script?.endsWith('.js') ? [process.execPath, script] : ['npm']
}

function run([file, ...before], args) {
  const { status, error } = spawnSync(file, [...before, ...args], { cwd: root, stdio: 'inherit' })
  if (error) say(String(error))
  if (status !== 0) process.exit(status ?? 1)
}

function filesBelow(folder) {
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

function isStamped(file, wanted) {
  return existsSync(file) && readFileSync(file, 'utf8') === wanted
}

function say(text) {
  process.stderr.write(`${text}\n`)
}
