import type { Socket } from 'node:net'
import type { Connection, ServerChannel } from 'ssh2'
import type { ChannelIo } from '../session/session.ts'

/** The I/O of a session. `pausedChannels` has all channels that paused the connection's socket. */
export function channelIo(channel: ServerChannel, socket: Socket, pausedChannels: Set<ServerChannel>): ChannelIo {
  let isCorked = false
  let hasEnded = false

  function flush(): void {
    if (isCorked) socket.uncork()
    isCorked = false
  }

  return {
    pause: () => void channel.pause(),
    resume: () => void channel.resume(),
    pauseSocket() {
      pausedChannels.add(channel)
      socket.pause()
    },
    resumeSocket() {
      pausedChannels.delete(channel)
      if (pausedChannels.size === 0) socket.resume()
    },
    cork() {
      if (!isCorked) socket.cork()
      isCorked = true
    },
    flush,
    write(bytes, sent) {
      channel.write(bytes, () => sent())
    },
    get unsent() {
      return socket.writableLength
    },
    end() {
      if (hasEnded) return
      hasEnded = true
      // Clients wait for the exit status of the subsystem and the end of its channel.
      channel.exit(0)
      channel.end()
      flush()
    },
  }
}

/** How many bytes a client may have in flight to us. OpenSSH's client uses at most half of that, others all of it. */
export const windowBytes = 4 * 1024 * 1024
/** Smaller extensions are not worth a packet. */
const minExtensionBytes = 256 * 1024

/** The internals of ssh2 that keep the flow-control windows of a channel. `receive-window.test.ts` pins the version of ssh2. */
interface ChannelInternals {
  readonly incoming: { window: number }
  readonly outgoing: { readonly id: number; readonly state: string }
}

interface ProtocolInternals {
  channelWindowAdjust(channel: number, bytes: number): void
}

/**
 * Returns a function that extends the receive window of a channel; call it after each read. ssh2 itself extends it only
 * when half of it is used up, and has no option for that: a link with high latency would be idle half of the time. With
 * another version of ssh2 the function may do nothing.
 */
export function receiveWindow(client: Connection, channel: ServerChannel): () => void {
  const protocol: unknown = Reflect.get(client, '_protocol')
  if (!isProtocol(protocol) || !isChannel(channel)) return () => {}
  const { incoming, outgoing } = channel
  return () => {
    const bytes = windowBytes - incoming.window
    // A client that writes faster than the disk has to wait.
    if (bytes < minExtensionBytes || channel.isPaused() || outgoing.state !== 'open') return
    incoming.window += bytes
    protocol.channelWindowAdjust(outgoing.id, bytes)
  }
}

function isProtocol(value: unknown): value is ProtocolInternals {
  return typeof property(value, 'channelWindowAdjust') === 'function'
}

function isChannel(channel: ServerChannel): channel is ServerChannel & ChannelInternals {
  const [incoming, outgoing] = [property(channel, 'incoming'), property(channel, 'outgoing')]
  return (
    typeof property(incoming, 'window') === 'number' &&
    typeof property(outgoing, 'id') === 'number' &&
    typeof property(outgoing, 'state') === 'string'
  )
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
