import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'
import { passBytes } from '../files/young-garbage.ts'
import { endsOf } from './inside-ssh2.ts'
import type { Pipe } from './session.ts'

/** What a session reads from and writes to. Those that let the network wait are in `holding`, for all of a connection. */
export function pipeOf(channel: ServerChannel, socket: Socket, holding: Set<ServerChannel>): Pipe {
  let isCorked = false
  let hasEnded = false
  const outgoing = endsOf(channel)?.outgoing
  /** Whether the client takes so much at once, and nothing waits before it. */
  const takes = (bytes: number) =>
    outgoing?.state === 'open' && outgoing.window >= bytes && channel.writable && channel.writableLength === 0

  function flush(): void {
    if (isCorked) socket.uncork()
    isCorked = false
  }

  return {
    pause: () => void channel.pause(),
    resume: () => void channel.resume(),
    hold() {
      holding.add(channel)
      socket.pause()
    },
    release() {
      holding.delete(channel)
      if (holding.size === 0) socket.resume()
    },
    gather() {
      if (!isCorked) socket.cork()
      isCorked = true
    },
    flush,
    write(bytes, sent) {
      passBytes(bytes.length)
      if (takes(bytes.length)) {
        // What the stream itself does in the end, without what it does around it.
        channel._write(bytes, 'binary', () => {})
        return true
      }
      channel.write(bytes, () => sent())
      return false
    },
    get unsent() {
      return socket.writableLength
    },
    end() {
      if (hasEnded) return
      hasEnded = true
      // Clients wait for the status of the subsystem and the end of its channel.
      channel.exit(0)
      channel.end()
      flush()
    },
  }
}
