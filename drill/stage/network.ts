import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Drill } from './drill.ts'

const ran = promisify(execFile)
const relay = fileURLToPath(new URL('./bad-line.py', import.meta.url))

/** Machines that reach each other, and the drill, over one switch: 10.99.0.0/24. Nothing else is in reach. */
export class Network {
  readonly #drill: Drill

  private constructor(drill: Drill) {
    this.#drill = drill
  }

  /** The drill itself is 10.99.0.1. */
  static async open(drill: Drill): Promise<Network> {
    await ip('link add switch type bridge')
    await ip('addr add 10.99.0.1/24 dev switch')
    await ip('link set switch up')
    return new Network(drill)
  }

  /** A machine with an address, an /etc and a /var/lib of its own; beyond that it is this one. */
  async machine(name: string, number: number): Promise<Machine> {
    const machine = await Machine.start(name, `10.99.0.${number}`, this.#drill.signal)
    this.#drill.atEnd(() => machine.end())
    return machine
  }
}

/** A machine of its own as far as network and settings tell. */
export class Machine {
  readonly name: string
  readonly address: string
  /** What is its /etc and its /var/lib, as everybody else sees them. */
  readonly etc: string
  readonly lib: string
  readonly #stands: ChildProcess
  readonly #line: BadLine

  private constructor(name: string, address: string, folder: string, stands: ChildProcess, line: BadLine) {
    this.name = name
    this.address = address
    this.etc = join(folder, 'etc')
    this.lib = join(folder, 'lib')
    this.#stands = stands
    this.#line = line
  }

  static async start(name: string, address: string, signal: AbortSignal): Promise<Machine> {
    const folder = join(tmpdir(), `machine-${name}`)
    await mkdir(join(folder, 'lib'), { recursive: true })
    await cp('/etc', join(folder, 'etc'), { recursive: true, verbatimSymlinks: true })
    const own = `mount --bind ${folder}/etc /etc && mount --bind ${folder}/lib /var/lib && echo there && exec sleep infinity`
    const stands = spawn('unshare', ['--net', '--mount', '--', 'sh', '-c', own], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(createInterface({ input: stands.stdout }), 'line', { signal })
    const line = await BadLine.lay(name, stands.pid as number)
    const machine = new Machine(name, address, folder, stands, line)
    await machine.do('ip', 'link', 'set', 'lo', 'up')
    await machine.do('ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0')
    await machine.do('ip', 'link', 'set', 'eth0', 'up')
    return machine
  }

  /** A command as it is run there. */
  inside(...command: readonly string[]): [string, ...string[]] {
    return ['nsenter', `--target=${this.#stands.pid}`, '--net', '--mount', '--', ...command]
  }

  spawn(command: readonly string[], options: SpawnOptions): ChildProcess {
    const [file, ...args] = this.inside(...command)
    return spawn(file, args, options)
  }

  /** Runs a command there to its end. @throws Error with what it said when it fails. */
  async do(...command: readonly string[]): Promise<string> {
    const [file, ...args] = this.inside(...command)
    return (await ran(file, args)).stdout
  }

  /** Pulls its plug, or puts it in again: nothing passes, and nobody is told. */
  async setLink(is: 'up' | 'down'): Promise<void> {
    await this.#line.set(is)
  }

  /** Makes its line bad, in both directions: how long everything takes, and which share gets lost. */
  setLine(delayMs: number, loss: number): void {
    this.#line.worsen(delayMs, loss)
  }

  end(): void {
    this.#line.end()
    this.#stands.kill('SIGKILL')
  }
}

/**
 * The line between a machine and the switch. Every frame passes through a small program, which can hold it up or lose it:
 * not every kernel has its own means for that.
 */
class BadLine {
  readonly #plug: string
  readonly #relay: ChildProcess

  private constructor(plug: string, relay: ChildProcess) {
    this.#plug = plug
    this.#relay = relay
  }

  static async lay(name: string, pid: number): Promise<BadLine> {
    const [inside, near, far, plug] = ['i', 'n', 'f', 'p'].map((end) => `${name}-${end}`) as [string, ...string[]]
    await ip(`link add ${inside} type veth peer name ${near}`)
    await ip(`link add ${far} type veth peer name ${plug}`)
    // What passes must be whole frames with sums that are right: there is no hardware to complete them later.
    for (const end of [inside, plug])
      await ran('ethtool', ['-K', end as string, 'tx', 'off', 'tso', 'off', 'gso', 'off'])
    await ip(`link set ${inside} netns ${pid} name eth0`)
    await ip(`link set ${plug} master switch`)
    for (const end of [near, far, plug]) await ip(`link set ${end} up`)
    const program = spawn('/usr/bin/python3', [relay, near as string, far as string], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(program.stdout, 'data')
    return new BadLine(plug as string, program)
  }

  async set(is: 'up' | 'down'): Promise<void> {
    await ip(`link set ${this.#plug} ${is}`)
  }

  worsen(delayMs: number, loss: number): void {
    this.#relay.stdin?.write(`${delayMs} ${loss}\n`)
  }

  end(): void {
    this.#relay.kill('SIGKILL')
  }
}

async function ip(command: string): Promise<void> {
  await ran('ip', command.split(' '))
}
