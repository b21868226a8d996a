import { type Command, jsonOption } from '../command/command.ts'
import { type CheckResult, overallState, runChecks } from '../doctor/checks.ts'

/** Each check ends within this time, and all run at the same time. */
const timeoutMs = 15_000

export const doctor: Command = {
  name: 'doctor',
  operands: [],
  summary: 'Checks what this machine can do, and says what to change.',
  options: { json: jsonOption },
  notes:
    'Does not change data or settings, and can run beside Innkeeper. Exits with 1 when a check failed: see docs/doctor.md.',

  async run({ options }, context) {
    // Other commands do not load what only the checks need.
    const { checksFor } = await import('../doctor/checks-for.ts')
    const checks = await runChecks(checksFor(context), timeoutMs)
    const state = overallState(checks)
    const { say } = context.terminal
    if (options.json) say(JSON.stringify({ state, checks }))
    else for (const check of checks) say(getText(check))
    context.exit(state === 'failed' ? 1 : 0)
  },
}

const marks = { ok: 'ok      ', warning: 'warning ', failed: 'failed  ' } as const

function getText({ name, state, message, advice }: CheckResult): string {
  const indent = ' '.repeat(marks[state].length + nameWidth + 1)
  return `${marks[state]}${name.padEnd(nameWidth)} ${message}${advice === undefined ? '' : `\n${indent}${advice}`}`
}

/** Of the longest name. */
const nameWidth = 17
