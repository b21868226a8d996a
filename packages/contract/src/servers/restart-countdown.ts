import { z } from 'zod/mini'
import { nodeEndpoint } from '../api/endpoint.ts'
import { countdownMessagesMax, countdownMinutesMax } from '../definitions/countdown.ts'
import { maxPlayerArgumentChars } from '../definitions/player-actions.ts'

/** A restart by hand after a countdown with messages to all players. While it is pending, the status has `restartAt`. */

const Minute = z.int().check(z.minimum(1), z.maximum(countdownMinutesMax))

/** `{minutes}` in the message is the remaining time. */
export const RestartCountdown = z.object({
  minutes: z.array(Minute).check(z.minLength(1), z.maxLength(countdownMessagesMax)),
  message: z.string().check(z.minLength(1), z.maxLength(maxPlayerArgumentChars)),
})
export type RestartCountdown = z.infer<typeof RestartCountdown>

/**
 * Runs the steps `countdown` and `power` like a task of the user, who also needs the permission to message players
 * (ErrMissingScope). ErrTaskRunning while a countdown is pending, ErrServerOffline while the server does not run,
 * ErrNoPlayerAction without a command for messages, and the errors of a message.
 */
export const startRestartCountdown = nodeEndpoint('POST', '/daemon/server/:id/countdown', {
  access: { onServer: 'startServer' },
  audit: 'server.countdown',
  body: RestartCountdown,
  status: 202,
})

/** Cancels the pending restart; does nothing without one. */
export const cancelRestartCountdown = nodeEndpoint('DELETE', '/daemon/server/:id/countdown', {
  access: { onServer: 'startServer' },
  audit: 'server.countdown.cancel',
})
