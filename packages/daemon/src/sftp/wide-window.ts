import type { Connection, ServerChannel } from 'ssh2'
import { endsOf, fieldOf } from './inside-ssh2.ts'

/** So much a client may have on its way to us; OpenSSH's own has at most half of that, others ask for all they get. */
export const windowBytes = 4 * 1024 * 1024
/** To tell of less than this costs more than it brings. */
const worthTelling = 256 * 1024

/**
 * Lets a client send on before all that it may send has come: ssh2 waits until half of its window is used, so that on a
 * long way the line is empty half of the time. The answer is called when something was read. Where ssh2 keeps things
 * elsewhere it does nothing.
 */
export function wideWindow(client: Connection, channel: ServerChannel): () => void {
  const protocol: unknown = Reflect.get(client, '_protocol')
  const tell = fieldOf(protocol, 'channelWindowAdjust')
  const ends = endsOf(channel)
  if (typeof tell !== 'function' || !ends) return () => {}
  const { incoming, outgoing } = ends
  return () => {
    const more = windowBytes - incoming.window
    // Who writes faster than the disk waits: what is not read is not asked for.
    if (more < worthTelling || channel.isPaused() || outgoing.state !== 'open') return
    incoming.window += more
    tell.call(protocol, outgoing.id, more)
  }
}
