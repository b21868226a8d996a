import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../build/run.ts'
import { waitUntil } from './wait-until.ts'

/** Packages of the test machines beyond the essential ones: an init system, and what documented commands use. */
const included = 'systemd,systemd-sysv,dbus,curl,jq,nginx-light,openssl,restic'

/** Packages that documented commands install. The machines have no network, so they are downloaded with the system. */
const downloaded = 'docker.io podman'

/** Writes the root file system of a minimal Debian of the same release, from the package sources of this machine. */
export async function writeRootFileSystem(file: string): Promise<void> {
  const { VERSION_CODENAME: suite } = Object.fromEntries(
    readFileSync('/etc/os-release', 'utf8')
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  ) as { VERSION_CODENAME?: string }
  const sources = ['/etc/apt/sources.list', ...globSync('/etc/apt/sources.list.d/*.{list,sources}')].filter(existsSync)
  const options = [
    ...['--quiet', '--variant=minbase', `--include=${included}`],
    `--customize-hook=chroot "$1" apt-get install -y -qq --install-recommends --download-only ${downloaded}`,
    '--skip=cleanup/apt',
  ]
  const command = ['mmdebstrap', ...options, suite ?? '', file, ...sources]
  // A process group of its own: when mmdebstrap fails, it sends SIGHUP to its whole group.
  const child = spawn('nice', command, { stdio: ['ignore', 'inherit', 'inherit'], detached: true })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error('mmdebstrap could not create a root file system')
}

interface Result {
  readonly code: number | null
  /** stdout and stderr. */
  readonly output: string
}

/** A Debian in a systemd-nspawn container. It shares the network of this process and ends with it. */
export class Machine {
  readonly root: string
  readonly #init: number

  private constructor(root: string, init: number) {
    this.root = root
    this.#init = init
  }

  /** Unpacks the tar of a root file system into a new folder and boots it. A tmpfs, because installing packages calls fsync often. */
  static async boot(rootFileSystem: string, root: string): Promise<Machine> {
    mkdirSync(root)
    run(['mount', '-t', 'tmpfs', '-o', 'mode=755', 'innkeeper-test', root])
    run(['tar', '-xf', rootFileSystem, '-C', root])
    const options = ['--quiet', '--register=no', '--keep-unit', '--boot', '--console=pipe', `--directory=${root}`]
    const container = spawn('systemd-nspawn', options, { stdio: ['ignore', 'ignore', 'inherit'] })
    const children = `/proc/${container.pid}/task/${container.pid}/children`
    const init = await waitUntil('the system has a first process', async () => {
      if (container.exitCode !== null) throw new Error('systemd-nspawn could not start a container')
      const pids = (await readFile(children, 'utf8')).trim().split(' ')
      return pids.map(Number).find((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'systemd\n')
    })
    const machine = new Machine(root, init)
    await waitUntil(
      'the system runs',
      () => machine.try(['systemctl', 'is-system-running']).output.trim() === 'running',
    )
    return machine
  }

  /** Runs a command in the machine. */
  try(command: readonly string[], env: Readonly<Record<string, string>> = {}): Result {
    const [file, ...args] = this.#enter(command, env) as [string, ...string[]]
    const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' })
    return { code: status, output: stdout + stderr }
  }

  /**
   * Runs a command in the machine and returns its output.
   * @throws Error when it fails.
   */
  run(command: readonly string[], env: Readonly<Record<string, string>> = {}): string {
    const { code, output } = this.try(command, env)
    if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${output}`)
    return output
  }

  /** The path of a file of the machine on this one. */
  path(path: string): string {
    return join(this.root, path)
  }

  #enter(command: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
    const variables = Object.entries({
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      LC_ALL: 'C.UTF-8',
      ...env,
    })
    const into = ['nsenter', `--target=${this.#init}`, '--all']
    return [...into, 'env', '-i', '--chdir=/', ...variables.map(([name, value]) => `${name}=${value}`), ...command]
  }
}
