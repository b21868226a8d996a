import { Refusal } from '@innkeeper/contract/refusals'
import type { Exit } from '../processes/run.ts'
import type { FilledCommand } from './filled-command.ts'
import type { PreparedStep } from './step-context.ts'

/** Runs programs one after the other. Published templates rely on failing commands: unless told, the list goes on. */
export function runCommands(lines: readonly FilledCommand[], stopOnError: boolean): PreparedStep {
  const commands = lines.filter(({ argv }) => argv.length > 0)
  const nameless = commands.find(({ argv }) => argv[0] === '')
  if (nameless) throw new Error(`the command "${nameless.shown}" names no program`)

  return async (context) => {
    for (const { argv, shown } of commands) {
      context.signal.throwIfAborted()
      context.say(`Executing: ${shown}`)
      const failure = failureOf(shown, await context.runCommand(argv))
      if (!failure) continue
      // A run that was given up ends its program: that says nothing about the program.
      context.signal.throwIfAborted()
      if (stopOnError || context.stopOnError) throw failure
      context.say(`Warning: ${failure.message}. Going on, because this step does not ask to stop on errors`)
    }
  }
}

/** What was wrong with the end of a program; `undefined` when it went well. */
export function failureOf(command: string, { code, signal }: Exit): Refusal | undefined {
  if (code === 0) return undefined
  if (code !== null) return new Refusal('ErrCommandFailed', { command, code })
  return new Refusal('ErrCommandEnded', { command, signal: signal ?? 'a signal' })
}
