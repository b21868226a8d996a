import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installMissingPackages } from '../tools/packages.ts'
import { Drill } from './stage/drill.ts'

/** A file of this folder. */
interface DrillFile {
  /** Debian packages that it needs, each with a file that shows it is there. */
  readonly packages?: Readonly<Record<string, string>>
  run(drill: Drill): Promise<void>
}

/**
 * `npm run drill [-- words]`: what only whole machines, networks and clusters can show. A word is the name of a file of
 * this folder; without words all of them. Ends with `N passed, N failed`.
 *
 * A drill sees networks, processes and mounts of its own: nothing of it reaches anything else, and when it ends, however
 * it does, the system takes down what is left.
 */
const here = dirname(fileURLToPath(import.meta.url))
const onStage = '--on-stage'
const words = process.argv.slice(2).filter((word) => word !== onStage)
const known = globSync('*.ts', { cwd: here, exclude: ['main.ts'] })
  .map((file) => basename(file, '.ts'))
  .sort()
const strange = words.filter((word) => !known.includes(word))
const names = words.length > 0 ? words : known

if (strange.length > 0) {
  console.error(`There is no drill '${strange.join("', '")}'; there are ${known.join(', ')}.`)
  process.exitCode = 2
} else if (process.getuid?.() !== 0) {
  console.error('A drill makes networks and users of its own: run it as root.')
  process.exitCode = 2
} else if (process.argv.includes(onStage)) {
  await perform()
} else {
  for (const name of names) await installMissingPackages((await load(name)).packages ?? {})
  process.exitCode = await onStageOfItsOwn()
}

async function load(name: string): Promise<DrillFile> {
  return (await import(`./${name}.ts`)) as DrillFile
}

/** Runs this very program where nothing else is, and ends all that it started when it ends. */
async function onStageOfItsOwn(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-drill-'))
  // Servers and databases run as users of their own.
  await chmod(folder, 0o711)
  const apart = ['--net', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child']
  // The first process of a system takes leave of every other one that ends; a shell does.
  const first = ['sh', '-c', 'ip link set lo up && "$@"; exit $?', 'drill']
  const again = [process.execPath, ...process.execArgv, fileURLToPath(import.meta.url), onStage, ...words]
  const stage = spawn('unshare', [...apart, '--', ...first, ...again], {
    stdio: 'inherit',
    env: { ...process.env, TMPDIR: folder },
  })
  let asked = 0
  // From the keyboard it reaches the drill too, which ends by itself; who asks twice does not wait.
  process.on('SIGINT', () => {
    if (++asked > 1) stage.kill('SIGKILL')
  })
  process.on('SIGTERM', () => stage.kill('SIGKILL'))
  try {
    const [code] = (await once(stage, 'exit')) as [number | null]
    return code ?? 130
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

async function perform(): Promise<void> {
  const leaving = new AbortController()
  process.on('SIGINT', () => leaving.abort(new Error('it was ended')))
  const drill = new Drill(leaving.signal)
  for (const name of names) {
    if (leaving.signal.aborted) break
    const { run } = await load(name)
    await drill.stage(name, run)
  }
  console.log(`${drill.passed} passed, ${drill.failed} failed`)
  process.exit(leaving.signal.aborted ? 130 : drill.failed > 0 || drill.passed === 0 ? 1 : 0)
}
