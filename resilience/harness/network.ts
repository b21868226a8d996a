import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Suite } from './suite.ts'

const execFileAsync = promisify(execFile)
const lossyLink = fileURLToPath(new URL('./lossy-link.py', import.meta.url))

const routerAddress = '192.168.7.1'

/** An isolated network, 10.99.0.0/24: machines and the test process itself, connected by a bridge. */
export class Network {
  readonly #suite: Suite

  private constructor(suite: Suite) {
    this.#suite = suite
  }

  /** The test process gets the address 10.99.0.1. */
  static async create(suite: Suite): Promise<Network> {
    await ip('link add switch type bridge')
    await ip('addr add 10.99.0.1/24 dev switch')
    await ip('link set switch up')
    return new Network(suite)
  }

  /** Adds a machine with the address 10.99.0.`number`. */
  async addMachine(name: string, number: number): Promise<Machine> {
    return await this.#add(name, `10.99.0.${number}`, 'switch')
  }

  /**
   * Adds a router with the address 10.99.0.`number` and a network 192.168.7.0/24 behind it. Nothing reaches a machine there,
   * whose connections come from the address of the router.
   */
  async addRouter(name: string, number: number): Promise<Machine> {
    await ip('link add lan type bridge')
    await ip('link set lan up')
    const router = await this.addMachine(name, number)
    await router.addLink('lan', `${routerAddress}/24`)
    await router.exec('sysctl', '-qw', 'net.ipv4.ip_forward=1')
    const rules = 'table ip nat { chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade; }; }'
    const filter =
      'table ip guard { chain in { type filter hook forward priority 0; iifname "eth0" ct state != { established, related } drop; }; }'
    await router.exec('sh', '-c', `printf '%s\n' '${rules}' '${filter}' | /usr/sbin/nft -f -`)
    return router
  }

  /** Adds a machine with the address 192.168.7.`number` behind the router. */
  async addMachineBehindRouter(name: string, number: number): Promise<Machine> {
    const machine = await this.#add(name, `192.168.7.${number}`, 'lan')
    await machine.exec('ip', 'route', 'add', 'default', 'via', routerAddress)
    return machine
  }

  async #add(name: string, address: string, bridge: string): Promise<Machine> {
    const machine = await Machine.start(name, address, bridge, this.#suite.signal)
    this.#suite.onCleanup(() => machine.stop())
    return machine
  }
}

/** A simulated machine: a network namespace and its own /etc and /var/lib. All else is shared with the host. */
export class Machine {
  readonly name: string
  readonly address: string
  /** The host path of its /etc. */
  readonly etc: string
  /** The host path of its /var/lib. */
  readonly lib: string
  /** The process that keeps its namespaces alive. */
  readonly #namespaces: ChildProcess
  readonly #link: NetworkLink
  readonly #moreLinks: NetworkLink[] = []

  private constructor(name: string, address: string, folder: string, namespaces: ChildProcess, link: NetworkLink) {
    this.name = name
    this.address = address
    this.etc = join(folder, 'etc')
    this.lib = join(folder, 'lib')
    this.#namespaces = namespaces
    this.#link = link
  }

  static async start(name: string, address: string, bridge: string, signal: AbortSignal): Promise<Machine> {
    const folder = join(tmpdir(), `machine-${name}`)
    await mkdir(join(folder, 'lib'), { recursive: true })
    await cp('/etc', join(folder, 'etc'), { recursive: true, verbatimSymlinks: true })
    const mounts = `mount --bind ${folder}/etc /etc && mount --bind ${folder}/lib /var/lib`
    const script = `${mounts} && echo ready && exec sleep infinity`
    const namespaces = spawn('unshare', ['--net', '--mount', '--', 'sh', '-c', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(createInterface({ input: namespaces.stdout }), 'line', { signal })
    const link = await NetworkLink.create(name, namespaces.pid as number, bridge)
    const machine = new Machine(name, address, folder, namespaces, link)
    await machine.exec('ip', 'link', 'set', 'lo', 'up')
    await machine.exec('ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0')
    await machine.exec('ip', 'link', 'set', 'eth0', 'up')
    return machine
  }

  /** Connects it to another bridge too, as eth1. */
  async addLink(bridge: string, address: string): Promise<void> {
    this.#moreLinks.push(await NetworkLink.create(`${this.name}1`, this.#namespaces.pid as number, bridge, 'eth1'))
    await this.exec('ip', 'addr', 'add', address, 'dev', 'eth1')
    await this.exec('ip', 'link', 'set', 'eth1', 'up')
  }

  /** The command line that runs a command on this machine. */
  command(...command: readonly string[]): [string, ...string[]] {
    return ['nsenter', `--target=${this.#namespaces.pid}`, '--net', '--mount', '--', ...command]
  }

  spawn(command: readonly string[], options: SpawnOptions): ChildProcess {
    const [file, ...args] = this.command(...command)
    return spawn(file, args, options)
  }

  /** Runs a command on this machine and resolves with its stdout. @throws Error with its output when it fails. */
  async exec(...command: readonly string[]): Promise<string> {
    const [file, ...args] = this.command(...command)
    return (await execFileAsync(file, args)).stdout
  }

  /** Unplugs or plugs in the network cable, without any notification of either side. */
  async setLinkState(state: 'up' | 'down'): Promise<void> {
    await this.#link.setState(state)
  }

  /** Sets delay and loss rate (0 to 1) of each direction. */
  setImpairment(delayMs: number, lossRate: number): void {
    this.#link.setImpairment(delayMs, lossRate)
  }

  stop(): void {
    for (const link of [this.#link, ...this.#moreLinks]) link.remove()
    this.#namespaces.kill('SIGKILL')
  }
}

/**
 * The link between a machine and the bridge. A small program forwards every frame and can delay or drop it; netem is not
 * available in every kernel.
 */
class NetworkLink {
  readonly #bridgePort: string
  readonly #forwarder: ChildProcess

  private constructor(bridgePort: string, forwarder: ChildProcess) {
    this.#bridgePort = bridgePort
    this.#forwarder = forwarder
  }

  static async create(name: string, pid: number, bridge: string, device = 'eth0'): Promise<NetworkLink> {
    // machine = inside <-> near <-> forwarder <-> far <-> port = bridge
    const [inside, near, far, port] = [`${name}-i`, `${name}-n`, `${name}-f`, `${name}-p`]
    await ip(`link add ${inside} type veth peer name ${near}`)
    await ip(`link add ${far} type veth peer name ${port}`)
    // The forwarder must see whole frames with valid checksums: no hardware completes them later.
    for (const device of [inside, port])
      await execFileAsync('ethtool', ['-K', device, 'tx', 'off', 'tso', 'off', 'gso', 'off'])
    await ip(`link set ${inside} netns ${pid} name ${device}`)
    await ip(`link set ${port} master ${bridge}`)
    for (const device of [near, far, port]) await ip(`link set ${device} up`)
    const forwarder = spawn('/usr/bin/python3', [lossyLink, near, far], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(forwarder.stdout, 'data')
    return new NetworkLink(port, forwarder)
  }

  async setState(state: 'up' | 'down'): Promise<void> {
    await ip(`link set ${this.#bridgePort} ${state}`)
  }

  setImpairment(delayMs: number, lossRate: number): void {
    this.#forwarder.stdin?.write(`${delayMs} ${lossRate}\n`)
  }

  remove(): void {
    this.#forwarder.kill('SIGKILL')
  }
}

async function ip(command: string): Promise<void> {
  await execFileAsync('ip', command.split(' '))
}
