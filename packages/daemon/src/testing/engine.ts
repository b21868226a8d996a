import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, open, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Dockerode from 'dockerode'
import { until } from './keepers.ts'

const run = promisify(execFile)
const busybox = '/bin/busybox'

/** The image that every test engine has: one static program and its names. */
export const testImage = 'innkeeper/test:1'

/** An engine of a test's own, with its own folders and socket; nothing is left of it when it is disposed of. */
export class TestEngine implements AsyncDisposable {
  readonly folder: string
  readonly socketPath: string
  readonly docker: Dockerode
  readonly #isLasting: boolean
  #process: ChildProcess | undefined

  private constructor(folder: string, isLasting: boolean) {
    this.folder = folder
    this.#isLasting = isLasting
    this.socketPath = join(folder, 'docker.sock')
    this.docker = new Dockerode({ socketPath: this.socketPath })
  }

  /** With `liveRestore` its containers outlive it. */
  static async create({ liveRestore = false } = {}): Promise<TestEngine> {
    const engine = new TestEngine(await mkdtemp(join(tmpdir(), 'innkeeper-engine-')), liveRestore)
    try {
      await engine.start()
      await engine.#bringImage()
    } catch (cause) {
      await engine[Symbol.asyncDispose]()
      throw cause
    }
    return engine
  }

  /** Starts it, also again after its end; what it knew is on its disk. */
  async start(): Promise<void> {
    const { folder } = this
    await using log = await open(join(folder, 'log'), 'a')
    const options = {
      host: `unix://${this.socketPath}`,
      'data-root': join(folder, 'data'),
      'exec-root': join(folder, 'exec'),
      pidfile: join(folder, 'pid'),
      'storage-driver': 'vfs',
      'live-restore': String(this.#isLasting),
      'shutdown-timeout': '2',
      iptables: 'false',
      ip6tables: 'false',
      bridge: 'none',
    }
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
    const engine = spawn('/usr/sbin/dockerd', args, {
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    })
    this.#process = engine
    await Promise.race([once(engine, 'spawn'), once(engine, 'error').then(([cause]) => Promise.reject(cause))])
    await until('the engine answers', async () => {
      if (engine.exitCode !== null) throw new Error(`dockerd ended: ${await readFile(join(folder, 'log'), 'utf8')}`)
      return await this.docker.ping().then(
        () => true,
        () => false,
      )
    })
  }

  /** Ends it in good order, as an upgrade of its package would; without live-restore the containers end too. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const engine = this.#process
    if (!engine || engine.exitCode !== null || engine.signalCode !== null) return
    const ended = once(engine, 'exit')
    engine.kill(signal)
    await ended
  }

  /** Stops its process where it stands, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGCONT')
    const containers = await this.docker.listContainers({ all: true }).catch(() => [])
    // A node that just forgets one may be at it as well.
    await Promise.allSettled(containers.map(({ Id }) => this.docker.getContainer(Id).remove({ force: true })))
    for (const { Id, Driver } of await this.docker.listNetworks().catch(() => []))
      if (Driver === 'bridge') await this.docker.getNetwork(Id).remove()
    await this.stop()
    await this.#unmount()
    await rm(this.folder, { recursive: true, force: true })
  }

  /** What it leaves mounted when it ends. */
  async #unmount(): Promise<void> {
    const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ')[4] ?? '')
    for (const path of mounts.filter((path) => path.startsWith(`${this.folder}/`)).toReversed())
      await run('umount', ['-l', path])
  }

  async #bringImage(): Promise<void> {
    await using image = await imageTar()
    const [repo, tag] = testImage.split(':')
    const stream = await this.docker.importImage(image.path, { repo, tag })
    stream.resume()
    await once(stream, 'end')
  }
}

/** The files of an image, as a tar: one static program and its names. */
export async function imageTar(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-image-'))
  const bin = join(folder, 'root/bin')
  await mkdir(bin, { recursive: true })
  await mkdir(join(folder, 'root/tmp'))
  await copyFile(busybox, join(bin, 'busybox'))
  for (const name of (await run(busybox, ['--list'])).stdout.split('\n'))
    if (name && name !== 'busybox') await symlink('busybox', join(bin, name))
  const path = join(folder, 'image.tar')
  await run('tar', ['-C', join(folder, 'root'), '-cf', path, '.'])
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
