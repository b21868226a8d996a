import type { LastExit } from '@innkeeper/contract/servers/status'
import type { Exit } from '../processes/run.ts'
import { isExpectedExit, type Rules, type State } from './rules.ts'

type EndRules = Pick<Rules, 'expectedExitCode'>

/** Returns why a process exited, given its exit and the state at that time. */
export function getLastExit(exit: Exit, state: State, rules: EndRules, at: Date): LastExit {
  return { at: at.toISOString(), reason: exitReason(exit, state, rules), code: exit.code, signal: exit.signal }
}

function exitReason(exit: Exit, state: State, rules: EndRules): LastExit['reason'] {
  if (state.is === 'stopping' && state.by === 'killing') return 'killed'
  if (exit.isOutOfMemory && !isExpectedExit(exit, rules)) return 'outOfMemory'
  if (state.is === 'stopping') return 'stopped'
  if (exit.code === null && exit.signal === null) return 'unknown'
  return isExpectedExit(exit, rules) ? 'ended' : 'crashed'
}

/** The exit as a console line. */
export function exitText({ code, signal }: Pick<Exit, 'code' | 'signal'>): string {
  if (signal !== null) return `Server was ended by signal ${signal}`
  return code === null ? 'Server ended' : `Server exited with code ${code}`
}

/** An explanation for users; undefined when the exit text is sufficient. */
export function findExplanation({ reason, code, signal }: LastExit): string | undefined {
  if (reason === 'outOfMemory') return 'It was killed because it used more memory than it may'
  if (reason === 'unknown') return 'How it ended is unknown'
  if (reason !== 'crashed') return undefined
  const words = signal === null ? codes[code ?? 0] : signals[signal]
  return words && `This usually means: ${words}`
}

const signals: Readonly<Record<string, string>> = {
  SIGKILL: 'it was killed, by a user or by the kernel because memory was low',
  SIGTERM: 'a process outside of Innkeeper sent it a termination signal',
  SIGINT: 'a process outside of Innkeeper interrupted it',
  SIGHUP: 'its terminal was closed',
  SIGSEGV: 'the program accessed invalid memory, because of a bug in it or a damaged file',
  SIGBUS: 'the program could not read a memory-mapped file, or the disk is full',
  SIGABRT: 'the program detected an internal error and aborted',
  SIGILL: 'the program was built for another CPU',
  SIGFPE: 'the program did an invalid computation, such as a division by zero',
  SIGXCPU: 'it exceeded its CPU time limit',
  SIGXFSZ: 'it exceeded the maximum file size',
  SIGSYS: 'it made a system call that is not allowed',
}

/** Conventional exit codes of shells and launchers. */
const codes: Readonly<Record<number, string>> = {
  126: 'a program could not be executed because of missing permissions',
  127: 'a program or one of its libraries was not found',
  134: 'the program detected an internal error and aborted',
  137: 'one of its processes was killed',
  139: 'the program accessed invalid memory',
}
