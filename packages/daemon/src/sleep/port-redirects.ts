import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { isIP, isIPv6 } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import type { Logger } from 'pino'
import { isProgram, standardPath } from '../environments/locate-program.ts'

const timeoutMs = 5_000

export interface Redirect {
  readonly transport: 'udp' | 'tcp'
  /** The address of the server; any other text than an IP address for all. */
  readonly host: string
  readonly from: number
  readonly to: number
}

/**
 * Redirects packets for the ports of servers to other ports of this machine, with a table of nftables that is only for one
 * data folder.
 */
export class PortRedirects {
  readonly #nft: string
  readonly #table: string
  readonly #redirects = new Map<string, Redirect>()

  private constructor(nft: string, table: string) {
    this.#nft = nft
    this.#table = table
  }

  /** Ends what an earlier daemon left. Returns undefined where packets cannot be redirected. */
  static async open(dataDir: string, log: Logger): Promise<PortRedirects | undefined> {
    const nft = await findNft()
    if (nft === undefined) return undefined
    const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12)
    const redirects = new PortRedirects(nft, `innkeeper_${hash}`)
    try {
      await redirects.#apply()
      return redirects
    } catch (err) {
      log.info({ err }, 'packets cannot be redirected: servers are stopped while they sleep')
      return undefined
    }
  }

  async add(id: string, redirect: Redirect): Promise<void> {
    this.#redirects.set(id, redirect)
    await this.#apply()
  }

  async remove(id: string): Promise<void> {
    if (this.#redirects.delete(id)) await this.#apply()
  }

  /** Replaces the table, in one step. */
  async #apply(): Promise<void> {
    await withLock([this], async () => {
      const rules = [...this.#redirects.values()]
      const reset = `add table inet ${this.#table}\ndelete table inet ${this.#table}\n`
      const input = rules.length === 0 ? reset : `${reset}${toTable(this.#table, rules)}`
      await run(this.#nft, input)
    })
  }
}

async function run(nft: string, input: string): Promise<void> {
  const running = promisify(execFile)(nft, ['-f', '-'], { timeout: timeoutMs, env: {} })
  // It may end before it has read all: then its exit says why.
  running.child.stdin?.on('error', () => {}).end(input)
  await running
}

async function findNft(): Promise<string | undefined> {
  for (const folder of standardPath.split(':')) {
    const path = join(folder, 'nft')
    if (await isProgram(path)) return path
  }
  return undefined
}

/**
 * UDP without connection tracking: a client that repeats its packet reaches the game as soon as the rules are gone, which a
 * tracked connection would prevent. The raw chains are before those of connection tracking.
 */
function toTable(table: string, redirects: readonly Redirect[]): string {
  const of = (transport: Redirect['transport']) => redirects.filter((redirect) => redirect.transport === transport)
  const chain = (name: string, hook: string, rules: readonly string[]) =>
    rules.length === 0 ? [] : [`  chain ${name} {`, `    ${hook}`, ...rules.map((rule) => `    ${rule}`), '  }']
  const tcp = of('tcp').map((redirect) => `${matchTo(redirect)}tcp dport ${redirect.from} redirect to :${redirect.to}`)
  const lines = [
    `table inet ${table} {`,
    ...chain(
      'udp_in',
      'type filter hook prerouting priority raw;',
      of('udp').map(
        (redirect) => `${matchTo(redirect)}udp dport ${redirect.from} notrack udp dport set ${redirect.to}`,
      ),
    ),
    ...chain(
      'udp_out',
      'type filter hook output priority raw;',
      of('udp').map(({ from, to }) => `udp sport ${to} notrack udp sport set ${from}`),
    ),
    ...chain('tcp_in', 'type nat hook prerouting priority dstnat - 10;', tcp),
    ...chain('tcp_own', 'type nat hook output priority -110;', tcp),
    '}',
  ]
  return `${lines.join('\n')}\n`
}

/** Only packets to the address of the server, and to this machine. */
function matchTo({ host }: Redirect): string {
  if (isIP(host) === 0 || host === '0.0.0.0' || host === '::') return 'fib daddr type local '
  return `${isIPv6(host) ? 'ip6' : 'ip'} daddr ${host} `
}
