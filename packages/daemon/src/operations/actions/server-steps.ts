import { setTimeout as delay } from 'node:timers/promises'
import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { parseDuration } from '@innkeeper/contract/text/duration'
import { limits } from '@innkeeper/contract/text/limits'
import { onlyInTasks, type PreparedStep } from '../context/step-context.ts'

/** Prints a message on the console; the server does not see it. */
export function sayMessage({ message }: StepFields<'console'>): PreparedStep {
  return async ({ say }) => say(`Message: ${message}`)
}

/** Writes a line to the running server's stdin. */
export function sendLine({ command }: StepFields<'stdin'>): PreparedStep {
  return async (context) => context.send(command)
}

/** Starts or stops the task's server. */
export function powerServer({ action, wait }: StepFields<'power'>): PreparedStep {
  return async (context) => {
    if (!context.power) throw new Error(onlyInTasks)
    await context.power(action, wait)
  }
}

/** Sends messages to the players of the task's server until the countdown ends. */
export function countDownServer(fields: StepFields<'countdown'>): PreparedStep {
  return async (context) => {
    if (!context.countDown) throw new Error(onlyInTasks)
    await context.countDown(fields)
  }
}

/** Creates a backup of the task's server. */
export function backUpServer({ name, verify }: StepFields<'backup'>): PreparedStep {
  return async (context) => {
    if (!context.backUp) throw new Error(onlyInTasks)
    context.say('Creating a backup')
    const id = await context.backUp(name.trim().slice(0, limits.backupNameMax), verify)
    context.say(`Created ${verify ? 'and verified ' : ''}the backup ${id}`)
  }
}

const maxSleepMs = 24 * 60 * 60 * 1000

/** Waits: `90s`, `1m30s`; a bare number is nanoseconds, as in Go. */
export function wait({ duration }: StepFields<'sleep'>): PreparedStep {
  const text = duration.trim()
  const ms = parseDuration(/^\d+$/.test(text) ? `${text}ns` : text)
  if (ms === undefined) throw new Error(`"${duration}" is not a duration: write it as 90s or 1m30s`)
  if (ms > maxSleepMs) throw new Error(`${text} is too long to wait: the limit is ${maxSleepMs / 3_600_000}h`)

  return async ({ signal, say }) => {
    say(`Waiting: ${ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`}`)
    await delay(ms, undefined, { signal })
  }
}
