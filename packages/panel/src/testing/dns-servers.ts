import { execFileSync, spawn } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { freePort } from './database-server.ts'

/** The zones of both servers. */
export const zone = 'play.example.org'
export const otherZone = 'games.example.net'
const zones = [zone, otherZone]
export const tsigKey = { name: 'innkeeper', secret: Buffer.from('a secret of the tests, 32 bytes.').toString('base64') }
export const apiKey = 'api-key-of-the-tests'

/** A real name server on the loopback, with two empty zones. */
export class DnsServer implements AsyncDisposable {
  readonly port: number
  /** Of the API of PowerDNS. */
  readonly url: string
  readonly #folder: string
  readonly #process: ReturnType<typeof spawn>

  private constructor(folder: string, command: readonly [string, ...string[]], ports: { port: number; api: number }) {
    this.#folder = folder
    this.port = ports.port
    this.url = `http://127.0.0.1:${ports.api}`
    this.#process = spawn(command[0], command.slice(1), { stdio: 'ignore' })
  }

  static async bind(): Promise<DnsServer> {
    const [folder, port] = [await mkdtemp(join(tmpdir(), 'innkeeper-bind-')), await freePort()]
    for (const name of zones) {
      const soa = `ns.${name}. admin.${name}. 1 3600 600 86400 60`
      await writeFile(join(folder, name), `$TTL 60\n@ IN SOA ${soa}\n@ IN NS ns.${name}.\nns IN A 127.0.0.1\n`)
    }
    const bindZones = zones.map(
      (name) => `zone "${name}" { type primary; file "${name}"; allow-update { key "${tsigKey.name}"; }; };`,
    )
    const config = `
      options {
        directory "${folder}"; pid-file none; session-keyfile none; recursion no;
        listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; dnssec-validation no;
      };
      controls {};
      key "${tsigKey.name}" { algorithm hmac-sha256; secret "${tsigKey.secret}"; };
      ${bindZones.join('\n')}`
    await writeFile(join(folder, 'named.conf'), config)
    const server = new DnsServer(folder, ['/usr/sbin/named', '-g', '-c', join(folder, 'named.conf')], { port, api: 0 })
    return await server.#untilReady()
  }

  static async powerDns(): Promise<DnsServer> {
    const [folder, port, api] = [await mkdtemp(join(tmpdir(), 'innkeeper-pdns-')), await freePort(), await freePort()]
    const path = join(folder, 'pdns.sqlite3')
    const database = new Sqlite(path)
    database.exec(await readFile('/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql', 'utf8'))
    database.close()
    const settings = {
      ...{ launch: 'gsqlite3', 'gsqlite3-database': path, 'socket-dir': folder, 'local-address': '127.0.0.1' },
      ...{ 'local-port': port, api: 'yes', 'api-key': apiKey, webserver: 'yes', 'webserver-address': '127.0.0.1' },
      ...{
        'webserver-port': api,
        'cache-ttl': 0,
        'query-cache-ttl': 0,
        'negquery-cache-ttl': 0,
        'zone-cache-refresh-interval': 0,
      },
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
    await writeFile(join(folder, 'pdns.conf'), lines.join('\n'))
    for (const name of zones)
      execFileSync('pdnsutil', [`--config-dir=${folder}`, 'create-zone', name, `ns.${name}`], { stdio: 'ignore' })
    const command = ['/usr/sbin/pdns_server', `--config-dir=${folder}`, '--daemon=no', '--guardian=no'] as const
    return await new DnsServer(folder, command, { port, api }).#untilReady()
  }

  /** The answer of the server. */
  async resolve(name: string, type: 'A' | 'AAAA' | 'SRV'): Promise<unknown[]> {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    resolver.setServers([`127.0.0.1:${this.port}`])
    return await (resolver.resolve(name, type) as Promise<unknown[]>).catch((error: { code?: string }) => {
      if (error.code === 'ENODATA' || error.code === 'ENOTFOUND') return []
      throw error
    })
  }

  async #untilReady(): Promise<this> {
    const resolver = new Resolver({ timeout: 1_000, tries: 1 })
    resolver.setServers([`127.0.0.1:${this.port}`])
    const deadline = Date.now() + 30_000
    for (;;) {
      try {
        await resolver.resolveSoa(zone)
        return this
      } catch (error) {
        if (Date.now() > deadline) throw error
        await pause(100)
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#process.exitCode === null ? once(this.#process, 'exit') : undefined
    this.#process.kill('SIGKILL')
    await ended
    await rm(this.#folder, { recursive: true, force: true })
  }
}
