import { substitute } from '@innkeeper/contract/command-line'
import {
  isStepType,
  type PowerAction,
  type Step,
  type StepFields,
  type StepType,
  stepFields,
} from '@innkeeper/contract/operations'
import { accept, Refusal } from '@innkeeper/contract/refusals'
import { diskTroubleOf } from '../files/error-code.ts'
import { alterFile } from './alterfile.ts'
import { makeArchive } from './archive.ts'
import { runCommands } from './command.ts'
import { downloadFiles } from './download.ts'
import { extractFiles } from './extract.ts'
import { fillCommand } from './filled-command.ts'
import { makeFolder } from './mkdir.ts'
import { moveFiles } from './move.ts'
import { powerServer } from './power.ts'
import { typeLine } from './stdin.ts'
import type { ReadyStep, StepRoom } from './step-room.ts'
import { writeFile } from './writefile.ts'

/** A list of steps ended early: which step, and why in words for people. The cause is what was thrown. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  /** From 1. */
  readonly step: number
  readonly type: string
  readonly reason: string

  constructor(step: number, of: number, type: string, reason: string, options?: ErrorOptions) {
    super(`Step ${step} of ${of} (${type}) failed: ${reason}`, options)
    this.step = step
    this.type = type
    this.reason = reason
  }
}

/**
 * Runs steps in order. All are read first, so that a mistake in the last one is found before the first one changes
 * anything (`ErrMissingFactory`, `ErrFactoryError`); then the first that fails ends the list with a `StepFailure`.
 * Rejects with the signal's reason when it is aborted. What went wrong is thrown, not said: the caller says it.
 */
export async function runSteps(steps: readonly Step[], room: StepRoom): Promise<void> {
  refuseOutsideTasks(steps, room)
  const ready = steps.map((step, at) => read(step, at + 1, room.values))
  const { files, values, stopOnError, fetch, signal } = room
  const said: StepRoom = {
    files,
    values,
    stopOnError,
    fetch,
    signal,
    say: (message) => room.say(inOneLine(message)),
    runCommand: (argv) => room.runCommand(argv),
    ...(room.send && { send: (line: string) => room.send?.(line) }),
    ...(room.power && { power: async (action: PowerAction, isAwaited: boolean) => room.power?.(action, isAwaited) }),
  }

  for (const [at, run] of ready.entries()) {
    signal.throwIfAborted()
    await room.begin?.(at + 1)
    try {
      await run(said)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const type = steps[at]?.type ?? ''
      throw new StepFailure(at + 1, steps.length, type, inOneLine(reasonOf(error)), { cause: error })
    }
  }
}

/** A start that starts a server, or an install that stops it, would wait for itself. */
function refuseOutsideTasks(steps: readonly Step[], room: StepRoom): void {
  const at = room.power ? -1 : steps.findIndex(({ type }) => type === 'power')
  if (at === -1) return
  const err = `step ${at + 1}: only tasks may start and stop the server`
  throw new Refusal('ErrFactoryError', { operatorName: 'power', err, step: at + 1 })
}

/** Refuses steps that could not run; changes nothing. */
export function checkSteps(steps: readonly Step[], values: ReadonlyMap<string, string>): void {
  for (const [at, step] of steps.entries()) read(step, at + 1, values)
}

type Reader<T extends StepType> = (fields: StepFields<T>, values: ReadonlyMap<string, string>) => ReadyStep

const readers: { readonly [T in StepType]?: Reader<T> } = {
  download: downloadFiles,
  command: ({ commands, stopOnError }, values) =>
    runCommands(
      commands.map((line) => fillCommand(line, values)),
      stopOnError,
    ),
  writefile: writeFile,
  alterfile: alterFile,
  move: moveFiles,
  mkdir: makeFolder,
  archive: makeArchive,
  extract: extractFiles,
  stdin: typeLine,
  power: powerServer,
}

function read(step: Step, number: number, values: ReadonlyMap<string, string>): ReadyStep {
  const { type } = step
  if (!isStepType(type) || !readers[type]) throw new Refusal('ErrMissingFactory', { type, step: number })
  const refuse = (err: string, cause?: unknown) =>
    new Refusal('ErrFactoryError', { operatorName: type, err: `step ${number}: ${err}`, step: number }, { cause })
  if (typeof step.if === 'string' && step.if.trim() !== '') throw refuse('conditions (if) are not supported yet')
  try {
    return readAs(type, step, values)
  } catch (error) {
    throw refuse(inOneLine(reasonOf(error)), error)
  }
}

function readAs<T extends StepType>(type: T, step: Step, values: ReadonlyMap<string, string>): ReadyStep {
  const fields = accept(stepFields[type], filled(step, values))
  const reader: Reader<T> | undefined = readers[type]
  if (!reader) throw new Refusal('ErrMissingFactory', { type })
  return reader(fields as StepFields<T>, values)
}

/**
 * The fields with variables filled in. Lists that stand in one text are split before, so that a value with blanks stays
 * one address or one argument; command lines are filled in later, argument by argument.
 */
function filled({ type, commands, files, ...fields }: Step, values: ReadonlyMap<string, string>): Step {
  const addresses = typeof files === 'string' ? files.split(/\s+/).filter(Boolean) : files
  const others = Object.entries({ ...fields, ...(files === undefined ? {} : { files: addresses }) })
  const done = Object.fromEntries(others.map(([name, field]) => [name, filledField(field, values)]))
  return { ...done, type, ...(commands === undefined ? {} : { commands }) }
}

function filledField(field: unknown, values: ReadonlyMap<string, string>): unknown {
  if (typeof field === 'string') return substitute(field, values)
  if (Array.isArray(field))
    return field.map((part: unknown) => (typeof part === 'string' ? substitute(part, values) : part))
  return field
}

function reasonOf(error: unknown): string {
  if (error instanceof Refusal && error.metadata.path !== undefined) return `${error.message}: ${error.metadata.path}`
  return diskTroubleOf(error) ?? (error instanceof Error ? error.message : String(error))
}

/** Text of users, hosts and file names cannot begin a line of its own or steer a terminal. */
function inOneLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').trim()
}
