import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'
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
