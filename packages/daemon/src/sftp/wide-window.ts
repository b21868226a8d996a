import type { Connection, ServerChannel } from 'ssh2'

/** So much a client may have on its way to us; OpenSSH's own has at most half of that, others ask for all they get. */
export const windowBytes = 4 * 1024 * 1024
/** To tell of less than this costs more than it brings. */
const worthTelling = 256 * 1024

interface Ends {
  readonly incoming: { window: number }
  readonly outgoing: { readonly id: number; readonly state: string }
}

/**
 * Lets a client send on before all that it may send has come: ssh2 waits until half of its window is used, so that on a
 * long way the line is empty half of the time. The answer is called when something was read. Where ssh2 keeps things
 * elsewhere it does nothing.
 */
export function wideWindow(client: Connection, channel: ServerChannel): () => void {
  const protocol: unknown = Reflect.get(client, '_protocol')
  const tell = isObject(protocol) ? Reflect.get(protocol, 'channelWindowAdjust') : undefined
  if (typeof tell !== 'function' || !hasEnds(channel)) return () => {}
  const { incoming, outgoing } = channel
  return () => {
    const more = windowBytes - incoming.window
    // Who writes faster than the disk waits: what is not read is not asked for.
    if (more < worthTelling || channel.isPaused() || outgoing.state !== 'open') return
    incoming.window += more
    tell.call(protocol, outgoing.id, more)
  }
}

function hasEnds(channel: object): channel is Ends {
  const [incoming, outgoing]: unknown[] = [Reflect.get(channel, 'incoming'), Reflect.get(channel, 'outgoing')]
  return (
    isObject(incoming) &&
    typeof Reflect.get(incoming, 'window') === 'number' &&
    isObject(outgoing) &&
    typeof Reflect.get(outgoing, 'id') === 'number'
  )
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
