import type { LastExit } from '@innkeeper/contract/status'
import type { Exit } from '../processes/run.ts'
import { isExpectedExit, type Rules, type State } from './rules.ts'

type EndRules = Pick<Rules, 'expectedExitCode'>

/** Why a process ended, from how it ended and what was wanted of it at that moment. */
export function lastExitOf(exit: Exit, state: State, rules: EndRules, at: Date): LastExit {
  return { at: at.toISOString(), reason: reasonOf(exit, state, rules), code: exit.code, signal: exit.signal }
}

function reasonOf(exit: Exit, state: State, rules: EndRules): LastExit['reason'] {
  if (state.is === 'stopping' && state.by === 'killing') return 'killed'
  if (exit.isOutOfMemory && !isExpectedExit(exit, rules)) return 'outOfMemory'
  if (state.is === 'stopping') return 'stopped'
  if (exit.code === null && exit.signal === null) return 'unknown'
  return isExpectedExit(exit, rules) ? 'ended' : 'crashed'
}

/** How it ended, as the console has it. */
export function exitText({ code, signal }: Pick<Exit, 'code' | 'signal'>): string {
  if (signal !== null) return `Server was ended by signal ${signal}`
  return code === null ? 'Server ended' : `Server exited with code ${code}`
}

/** What a person should know beside that; `undefined` when it says enough. */
export function explanationOf({ reason, code, signal }: LastExit): string | undefined {
  if (reason === 'outOfMemory') return 'It was killed because it used more memory than it may'
  if (reason === 'unknown') return 'Nobody saw how it ended'
  if (reason !== 'crashed') return undefined
  const words = signal === null ? codes[code ?? 0] : signals[signal]
  return words && `This usually means: ${words}`
}

const signals: Readonly<Record<string, string>> = {
  SIGKILL: 'somebody, or the system when memory was short, ended it by force',
  SIGTERM: 'somebody outside of Innkeeper asked it to end',
  SIGINT: 'somebody outside of Innkeeper interrupted it',
  SIGHUP: 'its terminal was closed',
  SIGSEGV: 'the program reached for memory that is not its own, which is a fault in it or in one of its files',
  SIGBUS: 'the program could not read a file that it had mapped into memory, or the disk is full',
  SIGABRT: 'the program found a fault in itself and gave up',
  SIGILL: 'the program was built for another processor',
  SIGFPE: 'the program computed something impossible, such as a division by zero',
  SIGXCPU: 'it used more processor time than it may',
  SIGXFSZ: 'it wrote a larger file than it may',
  SIGSYS: 'it asked the system for something that it may not do',
}

/** What shells and launchers mean by their exit codes. */
const codes: Readonly<Record<number, string>> = {
  126: 'a program could not be run, for want of permission',
  127: 'a program or one of its libraries was not found',
  134: 'the program found a fault in itself and gave up',
  137: 'one of its processes was ended by force',
  139: 'the program reached for memory that is not its own',
}
