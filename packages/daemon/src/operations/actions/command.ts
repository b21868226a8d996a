import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Exit } from '../../processes/run.ts'
import { fillCommand } from '../context/filled-command.ts'
import type { PreparedStep } from '../context/step-context.ts'

/**
 * Runs programs in sequence. Published templates rely on failing commands: unless `stopOnError`, the list continues.
 */
export function runCommands(
  { commands: lines, stopOnError }: StepFields<'command'>,
  values: ReadonlyMap<string, string>,
): PreparedStep {
  const nameless = lines.find((line) => fillCommand(line, values).argv[0] === '')
  if (nameless !== undefined) throw new Error(`the command "${nameless}" has no program`)

  return async (context) => {
    for (const line of lines) {
      const { argv, shown, chosen } = fillCommand(line, values, context.variables)
      if (argv.length === 0) continue
      context.signal.throwIfAborted()
      context.say(`Executing: ${shown}`)
      const failure = commandError(shown, await context.runCommand(argv, { chosen }))
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
