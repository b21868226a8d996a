import type { Exit } from '../environments/run.ts'
import type { FilledCommand } from './filled-command.ts'
import type { ReadyStep } from './step-room.ts'

/** Runs programs one after the other. Published templates rely on failing commands: unless told, the list goes on. */
export function runCommands(lines: readonly FilledCommand[], stopOnError: boolean): ReadyStep {
  const commands = lines.filter(({ argv }) => argv.length > 0)
  const nameless = commands.find(({ argv }) => argv[0] === '')
  if (nameless) throw new Error(`the command "${nameless.shown}" names no program`)

  return async (room) => {
    for (const { argv, shown } of commands) {
      room.signal.throwIfAborted()
      room.say(`Executing: ${shown}`)
      const problem = problemOf(await room.runCommand(argv))
      if (!problem) continue
      // A run that was given up ends its program: that says nothing about the program.
      room.signal.throwIfAborted()
      if (stopOnError || room.stopOnError) throw new Error(`${shown} ${problem}`)
      room.say(`Warning: ${shown} ${problem}. Going on, because this step does not ask to stop on errors`)
    }
  }
}

/** What was wrong with the end of a program; `undefined` when it went well. */
export function problemOf({ code, signal }: Exit): string | undefined {
  if (code === 0) return undefined
  return code === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${code}`
}
