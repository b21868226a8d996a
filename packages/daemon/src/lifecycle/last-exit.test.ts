import { expect, test } from 'vitest'
import { exitText, findExplanation, getLastExit } from './last-exit.ts'
import type { State } from './rules.ts'

const rules = { autorestart: false, autorecover: false, expectedExitCode: 0 }
const at = new Date(0)
const online: State = { is: 'online', crashes: 0, isReady: true }
const stopping: State = { is: 'stopping', of: 'server', by: 'asking', next: 'rest' }
const killing: State = { ...stopping, by: 'killing' }

test.each([
  ['a requested stop', { code: 143, signal: null }, stopping, 'stopped'],
  ['a requested kill', { code: null, signal: 'SIGKILL' }, killing, 'killed'],
  ['a normal end', { code: 0, signal: null }, online, 'ended'],
  ['an exit code that is not expected', { code: 1, signal: null }, online, 'crashed'],
  ['a signal', { code: null, signal: 'SIGSEGV' }, online, 'crashed'],
  ['an exit of unknown cause', { code: null, signal: null }, online, 'unknown'],
  ['too much memory', { code: null, signal: 'SIGKILL', isOutOfMemory: true }, online, 'outOfMemory'],
  [
    'too much memory of a process it waited for',
    { code: 137, signal: null, isOutOfMemory: true },
    online,
    'outOfMemory',
  ],
  ['too much memory while it stopped', { code: null, signal: 'SIGKILL', isOutOfMemory: true }, stopping, 'outOfMemory'],
  [
    'a kill of one that had used too much memory',
    { code: null, signal: 'SIGKILL', isOutOfMemory: true },
    killing,
    'killed',
  ],
  ['a normal end after a process was lost', { code: 0, signal: null, isOutOfMemory: true }, online, 'ended'],
] as const)('%s is distinguished from other exits', (_, exit, state, reason) => {
  expect(getLastExit(exit, state, rules, at)).toEqual({
    at: at.toISOString(),
    reason,
    code: exit.code,
    signal: exit.signal,
  })
})

test('an expected exit has the exit code of the definition', () => {
  const exit = { code: 3, signal: null }

  expect(getLastExit(exit, online, { ...rules, expectedExitCode: 3 }, at).reason).toBe('ended')
})

test.each([
  [{ code: 0, signal: null }, online, 'Server exited with code 0', undefined],
  [{ code: null, signal: 'SIGTERM' }, stopping, 'Server was ended by signal SIGTERM', undefined],
  [{ code: 1, signal: null }, online, 'Server exited with code 1', undefined],
  [{ code: 127, signal: null }, online, 'Server exited with code 127', 'This usually means: a program or one of'],
  [{ code: null, signal: 'SIGSEGV' }, online, 'Server was ended by signal SIGSEGV', 'accessed invalid memory'],
  [{ code: null, signal: null }, online, 'Server ended', 'How it ended is unknown'],
  [
    { code: null, signal: 'SIGKILL', isOutOfMemory: true },
    online,
    'Server was ended by signal SIGKILL',
    'It was killed because it used more memory than it may',
  ],
] as const)('%j has an explanation', (exit, state, messages, explained) => {
  const explanation = findExplanation(getLastExit(exit, state, rules, at))

  expect(exitText(exit)).toBe(messages)
  if (explained === undefined) expect(explanation).toBeUndefined()
  else expect(explanation).toContain(explained)
})
