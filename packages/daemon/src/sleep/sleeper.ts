import type { SleepSettings } from '@innkeeper/contract/definitions/sleep'
import { displayedText } from '@innkeeper/contract/errors/one-line'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import type { GameStatus } from '@innkeeper/contract/servers/players'
import type { ServerStats } from '@innkeeper/contract/servers/status'
import type { Logger } from 'pino'
import { getCode } from '../errors/error-code.ts'
import type { SavedSleep } from '../lifecycle/state-file.ts'
import type { GameQueries } from '../players/game-queries.ts'
import type { Server } from '../servers/server.ts'
import type { SleepListener } from './listening.ts'
import type { PortRedirects } from './port-redirects.ts'
import type { JoiningPlayer } from './protocols/protocol.ts'
import { sleepProtocols } from './protocols/protocols.ts'
import { SleepRule } from './rules.ts'
import { listenForPlayers } from './sleep-listener.ts'

const maxNameChars = 50

export interface SleeperDeps {
  readonly games: Pick<GameQueries, 'find'>
  /** Undefined where packets cannot be redirected: then servers are stopped instead of frozen. */
  readonly redirects: PortRedirects | undefined
  readonly log: Logger
  /** Length of a minute in definitions, in milliseconds. */
  readonly minuteMs: number
}

/** What listens in place of the game, and how that is ended. */
interface Guard {
  readonly listener: SleepListener
  readonly isRedirected: boolean
}

/** Lets one server sleep and wakes it. Orders are carried out one after the other. */
export class Sleeper {
  readonly #server: Server
  readonly #deps: SleeperDeps
  readonly #rule = new SleepRule()
  readonly #log: Logger
  #cpu: number[] = []
  #guard: Guard | undefined
  #isClosed = false

  constructor(server: Server, deps: SleeperDeps) {
    this.#server = server
    this.#deps = deps
    this.#log = deps.log.child({ server: server.id })
    server.setWaker((reason) => this.wake(reason))
  }

  /** Listens again for a server that an earlier daemon has stopped for its sleep. */
  async resume(): Promise<void> {
    await withLock([this], async () => {
      const { sleep, sleepSettings: settings } = this.#server
      if (this.#isClosed || this.#guard || !sleep || sleep.sleeping.isFrozen) return
      if (settings) this.#guard = { listener: await this.#listen(settings, sleep.game), isRedirected: false }
      else this.#server.setSleep(undefined)
    })
  }

  /** Lets the server sleep when it is time, and cleans up when its process ended while it slept. */
  async check(): Promise<void> {
    const { sleepSettings: settings, sleep, status } = this.#server
    if (this.#guard ? !sleep || !settings : sleep && !settings) await this.wake('the definition has changed')
    // Its port was in use.
    else if (sleep && !this.#guard) await this.resume()
    if (sleep || !settings) return
    const game = this.#deps.games.find(this.#server.id)
    const facts = {
      isOnline: status.state === 'online' && !status.isInDoubt && !status.notResponding,
      players: this.#server.playerSessions.online.length > 0 ? undefined : game?.players.online,
      isUsed: this.#server.use.isUsed || status.restartAt !== undefined,
      usedAt: this.#server.use.usedAt,
    }
    const isTime = this.#rule.advance(facts, performance.now(), settings.afterMinutes * this.#deps.minuteMs)
    if (this.#rule.idleSince === undefined) this.#cpu = []
    else this.#cpu = [...this.#cpu.slice(-maxSamples), this.#server.stats.cpu]
    if (!isTime || !game) return
    this.#rule.reset()
    await withLock([this], async () => await this.#fallAsleep(settings, game))
  }

  /** Wakes the server. One that was stopped is offline then. Does nothing while it is awake. */
  async wake(reason: string): Promise<void> {
    await withLock([this], async () => {
      const { sleep } = this.#server
      if (!sleep && !this.#guard) return
      await this.#endGuard().catch((err: unknown) => this.#log.error({ err }, 'failed to end a listener of a server'))
      if (sleep?.sleeping.isFrozen) await this.#server.thawFromSleep()
      this.#server.setSleep(undefined)
      this.#rule.reset()
      if (sleep) this.#server.console.say(`Server wakes: ${reason}`)
    })
  }

  /** Nothing stays frozen without a daemon. A server that was stopped sleeps on. */
  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#server.sleep?.sleeping.isFrozen) await this.wake('the node ends')
    else await withLock([this], async () => await this.#endGuard())
  }

  async #fallAsleep(settings: SleepSettings, game: GameStatus): Promise<void> {
    if (this.#isClosed) return
    const memory = this.#server.stats.memory
    const cpu = Math.round((this.#cpu.reduce((sum, one) => sum + one, 0) / Math.max(1, this.#cpu.length)) * 100) / 100
    const used = { cpu, memory }
    const isFrozen = await this.#freeze(settings, game, used)
    if (!isFrozen) await this.#stop(settings, game, used)
  }

  /** Freezes the server. Returns false when that is not possible, and it is as before. */
  async #freeze(settings: SleepSettings, game: GameStatus, used: Used): Promise<boolean> {
    const { redirects } = this.#deps
    if (!redirects || !this.#server.canBeFrozen) return false
    const { type, port } = settings.query
    try {
      const listener = await this.#listen(settings, game, 0)
      this.#guard = { listener, isRedirected: true }
      const { transport } = sleepProtocols[type]
      await redirects.add(this.#server.id, { transport, host: this.#server.address.ip, from: port, to: listener.port })
      this.#server.setSleep(toSleep(true, game, used))
      if (await this.#server.freezeForSleep()) {
        this.#server.console.say(`Server sleeps: nobody has played for ${settings.afterMinutes} min. It is frozen.`)
        return true
      }
    } catch (err) {
      this.#log.warn({ err }, 'failed to freeze a server for its sleep')
    }
    await this.#endGuard()
    await this.#server.thawFromSleep()
    this.#server.setSleep(undefined)
    return false
  }

  /** Stops the server, and listens at its port. */
  async #stop(settings: SleepSettings, game: GameStatus, used: Used): Promise<void> {
    const server = this.#server
    server.console.say(`Server sleeps: nobody has played for ${settings.afterMinutes} min. It is stopped.`)
    const { ended } = server.power('stop')
    const requests = server.powerRequests
    await ended
    // Somebody wants something else meanwhile.
    if (this.#isClosed || server.powerRequests !== requests || server.status.state !== 'offline') return
    server.setSleep(toSleep(false, game, used))
    // What fails is tried again with the next check.
    this.#guard = { listener: await this.#listen(settings, game), isRedirected: false }
  }

  async #listen({ query }: SleepSettings, game: GameStatus, port = query.port): Promise<SleepListener> {
    const protocol = sleepProtocols[query.type]
    // Connections over TCP are redirected to the address at which they arrive.
    const host = port === 0 && protocol.transport === 'tcp' ? allAddresses : toHost(this.#server.address.ip)
    const options = {
      port,
      status: game,
      onJoin: (join: JoiningPlayer, address: string) => this.#onJoin(join, address),
    }
    return await listenForPlayers(protocol, { host, ...options }).catch(async (error: unknown) => {
      // A machine without IPv6.
      if (host !== allAddresses || getCode(error) !== 'EAFNOSUPPORT') throw error
      return await listenForPlayers(protocol, { host: '0.0.0.0', ...options })
    })
  }

  #onJoin({ name }: JoiningPlayer, address: string): void {
    const from = address.replace(/^::ffff:/, '')
    const who = name === undefined ? `a player at ${from}` : `${displayedText(name, maxNameChars)} (${from})`
    this.#wakeForPlayer(who).catch((err: unknown) => this.#log.warn({ err }, 'failed to wake a server'))
  }

  async #wakeForPlayer(who: string): Promise<void> {
    const { sleep } = this.#server
    if (!sleep) return
    await this.wake(`${who} joins`)
    if (!sleep.sleeping.isFrozen && this.#server.status.state === 'offline') await this.#server.power('start').ended
  }

  async #endGuard(): Promise<void> {
    const guard = this.#guard
    this.#guard = undefined
    if (!guard) return
    if (guard.isRedirected) await this.#deps.redirects?.remove(this.#server.id)
    await guard.listener.close()
  }
}

type Used = Pick<ServerStats, 'cpu' | 'memory'>

/** Of the CPU. */
const maxSamples = 100

function toSleep(isFrozen: boolean, game: GameStatus, used: Used): SavedSleep {
  return { sleeping: { since: new Date().toISOString(), isFrozen, ...used }, game }
}

/** Of IPv4 too. */
const allAddresses = '::'

/** Where a listener is bound in place of a server. */
function toHost(ip: string): string {
  if (ip === '0.0.0.0') return allAddresses
  return ip === '{ip}' || ip === 'localhost' ? '127.0.0.1' : ip
}
