import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import Dockerode from 'dockerode'
import { tarBytes } from './archive-bytes.ts'
import { until } from './keepers.ts'

const run = promisify(execFile)
const busybox = '/bin/busybox'
const socketName = 'docker.sock'

/** The image of every test engine: one static program and its links. */
export const testImage = 'innkeeper/test:1'

/** A container engine with its own directories and socket; nothing is left on disposal. */
export class TestEngine implements AsyncDisposable {
  readonly folder: string
  readonly socketPath: string
  readonly docker: Dockerode
  readonly #command: readonly string[]
  #process: ChildProcess | undefined

  private constructor(folder: string, commandFor: (folder: string) => readonly string[]) {
    this.folder = folder
    this.#command = commandFor(folder)
    this.socketPath = join(folder, socketName)
    this.docker = new Dockerode({ socketPath: this.socketPath })
  }

  /** With `liveRestore` its containers outlive it. */
  static async create({ liveRestore = false } = {}): Promise<TestEngine> {
    return await TestEngine.#create((folder) => dockerd(folder, liveRestore))
  }

  /** Podman with its Docker-compatible socket. */
  static async createPodman(): Promise<TestEngine> {
    return await TestEngine.#create(podman)
  }

  static async #create(commandFor: (folder: string) => readonly string[]): Promise<TestEngine> {
    const engine = new TestEngine(await mkdtemp(join(tmpdir(), 'innkeeper-engine-')), commandFor)
    // Podman would raise a limit that our containers may not raise.
    await writeFile(
      join(engine.folder, 'containers.conf'),
      '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n',
    )
    try {
      await engine.start()
      await engine.#bringImage()
    } catch (cause) {
      await engine[Symbol.asyncDispose]()
      throw cause
    }
    return engine
  }

  /** Starts it, also again after it stopped; its state is on disk. */
  async start(): Promise<void> {
    const { folder } = this
    await using log = await open(join(folder, 'log'), 'a')
    const [program = '', ...args] = this.#command
    const engine = spawn(program, args, {
      stdio: ['ignore', log.fd, log.fd],
      cwd: folder,
      detached: true,
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', CONTAINERS_CONF: join(folder, 'containers.conf') },
    })
    this.#process = engine
    await Promise.race([once(engine, 'spawn'), once(engine, 'error').then(([cause]) => Promise.reject(cause))])
    await until('the engine answers', async () => {
      if (engine.exitCode !== null) throw new Error(`the engine ended: ${await readFile(join(folder, 'log'), 'utf8')}`)
      return await this.docker.ping().then(
        () => true,
        () => false,
      )
    })
  }

  /** Stops it normally, like a package upgrade; without live-restore the containers end too. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const engine = this.#process
    if (!engine || engine.exitCode !== null || engine.signalCode !== null) return
    const ended = once(engine, 'exit')
    engine.kill(signal)
    await ended
  }

  /** Builds an image from the test image, with programs and further lines of a Dockerfile. */
  async buildImage(name: string, programs: Readonly<Record<string, string>>, lines: readonly string[]): Promise<void> {
    const names = Object.keys(programs)
    const dockerfile = [`FROM ${testImage}`, ...names.map((file) => `COPY ${file} /${file}`), ...lines].join('\n')
    const scripts = names.map((file) => ({ name: file, mode: 0o755, data: `#!/bin/sh\n${programs[file]}\n` }))
    const context = tarBytes([{ name: 'Dockerfile', data: dockerfile }, ...scripts])
    const stream = await this.docker.buildImage(Readable.from([context]), { t: name })
    let output = ''
    for await (const part of stream) output += String(part)
    if (output.includes('"error"')) throw new Error(output)
  }

  /** Pauses or resumes its process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.signal('SIGCONT')
    const containers = await this.docker.listContainers({ all: true }).catch(() => [])
    // The node may be removing it concurrently.
    await Promise.allSettled(containers.map(({ Id }) => this.docker.getContainer(Id).remove({ force: true })))
    for (const { Id, Driver, Name } of await this.docker.listNetworks().catch(() => []))
      if (Driver === 'bridge' && Name !== 'bridge') await this.docker.getNetwork(Id).remove()
    await this.stop()
    await this.#unmount()
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Mounts that it leaves behind. */
  async #unmount(): Promise<void> {
    const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' ')[4] ?? '')
    for (const path of mounts.filter((path) => path.startsWith(`${this.folder}/`)).toReversed())
      await run('umount', ['-l', path])
  }

  async #bringImage(): Promise<void> {
    await using image = await imageTar()
    const [repo, tag] = testImage.split(':')
    // Podman names what it imports without the tag.
    const stream = await this.docker.importImage(image.path)
    const messages: { status: string }[] = []
    for await (const part of stream) messages.push(JSON.parse(String(part)))
    await this.docker.getImage(messages.at(-1)?.status ?? '').tag({ repo: repo ?? '', tag })
  }
}

function dockerd(folder: string, liveRestore: boolean): readonly string[] {
  const options = {
    host: `unix://${join(folder, socketName)}`,
    'data-root': join(folder, 'data'),
    'exec-root': join(folder, 'exec'),
    pidfile: join(folder, 'pid'),
    'storage-driver': 'vfs',
    'live-restore': String(liveRestore),
    'shutdown-timeout': '2',
    iptables: 'false',
    ip6tables: 'false',
    bridge: 'none',
  }
  return ['/usr/sbin/dockerd', ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)]
}

function podman(folder: string): readonly string[] {
  const options = {
    root: join(folder, 'data'),
    runroot: join(folder, 'run'),
    tmpdir: join(folder, 'tmp'),
    'storage-driver': 'vfs',
    'cgroup-manager': 'cgroupfs',
    'events-backend': 'file',
  }
  return [
    '/usr/bin/podman',
    ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
    ...['system', 'service', '--time=0', `unix://${join(folder, socketName)}`],
  ]
}

/** The files of an image as a tar: one static program and its links. */
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
