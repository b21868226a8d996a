import type { ListenOptions, SleepListener } from './listening.ts'
import type { SleepProtocol } from './protocols/protocol.ts'
import { listenOverTcp } from './tcp-listener.ts'
import { listenOverUdp } from './udp-listener.ts'

/** Answers in place of a game that sleeps. Rejects when the port is in use. */
export async function listenForPlayers(protocol: SleepProtocol, options: ListenOptions): Promise<SleepListener> {
  return protocol.transport === 'udp' ? await listenOverUdp(protocol, options) : await listenOverTcp(protocol, options)
}
