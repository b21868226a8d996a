import { Refusal } from '@innkeeper/contract/refusals'
import type { Exit } from '../processes/run.ts'
import type { FilledCommand } from './filled-command.ts'
import type { PreparedStep } from './step-context.ts'

/**
 * Runs programs in sequence. Published templates rely on failing commands: unless `stopOnError`, the list continues.
 */
export function runCommands(lines: readonly FilledCommand[], stopOnError: boolean): PreparedStep {
  const commands = lines.filter(({ argv }) => argv.length > 0)
  const nameless = commands.find(({ argv }) => argv[0] === '')
  if (nameless) throw new Error(`the command "${nameless.shown}" has no program`)

  return async (context) => {
    for (const { argv, shown } of commands) {
      context.signal.throwIfAborted()
      context.say(`Executing: ${shown}`)
      const failure = commandError(shown, await context.runCommand(argv))
      if (!failure) continue
      // Aborting a run kills its program: that is no failure of the program.
      context.signal.throwIfAborted()
      if (stopOnError || context.stopOnError) throw failure
      context.say(`Warning: ${failure.message}. Continuing, because this step does not stop on errors`)
    }
  }
}

/** The failure of a program; undefined when it succeeded. */
export function commandError(command: string, { code, signal }: Exit): Refusal | undefined {
  if (code === 0) return undefined
  if (code !== null) return new Refusal('ErrCommandFailed', { command, code })
  return new Refusal('ErrCommandEnded', { command, signal: signal ?? 'a signal' })
}
