import { setTimeout as delay } from 'node:timers/promises'
import { toCountdownText } from '@innkeeper/contract/definitions/countdown'
import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Server } from '../servers/server.ts'

interface CountdownContext {
  readonly server: Pick<Server, 'status' | 'players' | 'onStatus' | 'runPlayerAction'>
  /** How long a minute is. */
  readonly minuteMs: number
  readonly signal: AbortSignal
  readonly say: (message: string) => void
  /** Called when a message is sent to the game. */
  readonly onInput: () => void
}

const nobodyPlays = Symbol('nobody plays')

/**
 * Sends a message to all players at each of the minutes before its end. Ends at once while it is known that nobody plays,
 * and for a server that does not run. Throws ErrServerOffline when the server stops meanwhile, because a restart after it
 * would start it, and ErrNoPlayerAction when there is no command for messages.
 */
export async function countDown(
  { minutes, message }: StepFields<'countdown'>,
  { server, minuteMs, signal, say, onInput }: CountdownContext,
): Promise<void> {
  if (!server.status.running) return say('No countdown: the server does not run')
  if (server.players.facts.players === 0) return say('No countdown: nobody plays')
  using watch = watchServer(server)
  const endsAt = performance.now() + (minutes[0] ?? 0) * minuteMs
  try {
    for (const [at, left] of minutes.entries()) {
      const text = toCountdownText(message, left)
      onInput()
      server.runPlayerAction('broadcast', { message: text })
      say(`Message to all players: ${text}`)
      const untilMs = endsAt - (minutes[at + 1] ?? 0) * minuteMs
      await delay(Math.max(0, untilMs - performance.now()), undefined, {
        signal: AbortSignal.any([signal, watch.signal]),
      })
    }
  } catch (cause) {
    signal.throwIfAborted()
    if (!watch.signal.aborted) throw cause
    if (watch.signal.reason !== nobodyPlays) throw watch.signal.reason
    say('The countdown ends early: nobody plays any more')
  }
}

/** Aborts its signal when nobody plays any more, or the server does not run any more. */
function watchServer(server: CountdownContext['server']): Disposable & { readonly signal: AbortSignal } {
  const { players } = server
  const ending = new AbortController()
  const unsubscribe = [
    players.onAnswer(() => {
      if (players.facts.players === 0) ending.abort(nobodyPlays)
    }),
    server.onStatus(({ running }) => {
      if (!running) ending.abort(new Refusal('ErrServerOffline'))
    }),
  ]
  return {
    signal: ending.signal,
    [Symbol.dispose]() {
      for (const end of unsubscribe) end()
    },
  }
}
