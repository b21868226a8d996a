import { setImmediate } from 'node:timers/promises'
import { substitute } from '@innkeeper/contract/definitions/command-line'
import {
  conditionProblem,
  evaluate,
  isEmptyCondition,
  PlayersUnknownError,
} from '@innkeeper/contract/definitions/conditions'
import {
  isStepType,
  type Step,
  type StepFields,
  type StepType,
  stepFields,
  taskStepTypes,
} from '@innkeeper/contract/definitions/operations'
import { validate } from '@innkeeper/contract/definitions/validate'
import { onOneLine } from '@innkeeper/contract/errors/one-line'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type EscapeFormat, escapeValue, isEscapeFormat } from '@innkeeper/contract/text/escape'
import { errorText } from '../errors/error-text.ts'
import { parsePath } from '../files/path/safe-path.ts'
import { createConfigWorker } from './context/config-worker.ts'
import { assertWrittenValues } from './context/contained-text.ts'
import { RegexWorker } from './context/replace.ts'
import { onlyInTasks, type PreparedStep, type StepContext, type StepListContext } from './context/step-context.ts'
import { type StepFactory, stepFactories } from './step-factories.ts'

/** A step failed: which one, and the reason for users. `cause` is the original error. */
export class StepError extends Error {
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
 * Runs steps in order. All are validated first, as far as possible, so that a mistake in the last one is found before
 * the first one changes anything (`ErrMissingFactory`, `ErrFactoryError`). After a failure, only steps run whose
 * condition holds while `success` is false; the list still ends with a `StepError`. The failure of a step with
 * `continueOnError` only is a message. Rejects with the signal's reason on
 * abort. Failures are thrown, not printed: the caller prints them.
 */
export async function runSteps(steps: readonly Step[], context: StepContext): Promise<void> {
  refuseOutsideTasks(steps, context)
  checkSteps(steps, context.values)
  await using regexWorker = new RegexWorker()
  await using configWorker = createConfigWorker()
  const listContext: StepListContext = {
    ...context,
    regexWorker,
    configWorker,
    say: (message) => context.say(onOneLine(message)),
  }
  let failure: StepError | undefined

  for (const [at, step] of steps.entries()) {
    context.signal.throwIfAborted()
    const fail = (cause: unknown) => new StepError(at + 1, steps.length, step.type, errorText(cause), { cause })
    let isWanted: boolean
    try {
      isWanted = await shouldRun(step, listContext, failure === undefined)
    } catch (cause) {
      context.signal.throwIfAborted()
      if (cause instanceof PlayersUnknownError) {
        listContext.say(`Step ${at + 1} of ${steps.length} (${step.type}) was skipped: ${cause.message}`)
        continue
      }
      if (!failure) throw fail(cause)
      // An unknown condition: later steps may depend on it.
      listContext.say(fail(cause).message)
      break
    }
    if (!isWanted) continue
    await context.onStep?.(at + 1)
    try {
      assertWrittenValues(step, listContext)
      // Earlier steps may have set variables.
      await read(step, at + 1, listContext.values)(listContext)
    } catch (cause) {
      if (context.signal.aborted) throw context.signal.reason
      if (step.continueOnError === true) {
        listContext.say(fail(cause).message)
        continue
      }
      if (failure || at + 1 < steps.length) listContext.say(fail(cause).message)
      failure ??= fail(cause)
    }
  }
  if (failure) throw failure
}

function refuseOutsideTasks(steps: readonly Step[], { power, backUp }: StepContext): void {
  if (power || backUp) return
  const at = steps.findIndex(({ type }) => taskStepTypes.some((one) => one === type))
  const step = steps[at]
  if (step) throw invalid(step.type, at + 1, onlyInTasks)
}

/** Validates steps without changing anything. What depends on conditions and earlier steps is not validated. */
export function checkSteps(steps: readonly Step[], values: ReadonlyMap<string, string>): void {
  const laterVariables = new Set<string>()
  for (const [at, step] of steps.entries()) {
    const isUndecided =
      !isEmptyCondition(findCondition(step)) || [...laterVariables].some((name) => mentions(step, name))
    if (isUndecided) checkCondition(step, at + 1, [...values.keys(), ...laterVariables])
    else read(step, at + 1, values)
    const output = findOutput(step)
    if (output !== undefined && !values.has(output)) laterVariables.add(output)
  }
}

const findCondition = ({ if: given }: Step): string | undefined =>
  typeof given === 'string' || typeof given === 'boolean' ? String(given) : undefined

/** Whether a step should run: without a condition, while no step has failed. */
async function shouldRun(step: Step, context: StepContext, isWell: boolean): Promise<boolean> {
  const condition = findCondition(step)
  return isEmptyCondition(condition) ? isWell : await evaluateIn(condition, context, isWell)
}

/** Evaluates a condition. Throws `ConditionError`; `PlayersUnknownError` when it needs to know who plays. */
export async function evaluateIn(
  condition: string,
  { values, conditionContext, getPlaying, files, inPath }: StepContext,
  isWell = true,
): Promise<boolean> {
  const playing = getPlaying?.()
  // Evaluation blocks the event loop: yields between two conditions.
  await setImmediate()
  return await evaluate(condition, {
    ...conditionContext,
    ...(playing && { playing }),
    values,
    // After a run, `success` also includes its exit.
    success: isWell && values.get('success') !== 'false',
    fileExists: async (path) => (await files.stat(parsePath(path))) !== undefined,
    inPath,
  })
}

/** The variable that a step sets. */
function findOutput({ type, ...fields }: Step): string | undefined {
  if (!isStepType(type) || !('outputVariable' in stepFields[type].shape)) return undefined
  const read = stepFields[type].shape.outputVariable.safeParse(fields.outputVariable)
  return read.success ? read.data : undefined
}

function mentions(step: Step, name: string): boolean {
  return JSON.stringify(step).includes(`\${${name}}`)
}

function checkCondition(step: Step, number: number, names: readonly string[]): void {
  getStepType(step.type, number)
  const problem = conditionProblem(findCondition(step) ?? '', names)
  if (problem !== undefined) throw invalid(step.type, number, problem)
}

function getStepType(type: string, number: number): StepType {
  if (!isStepType(type)) throw new Refusal('ErrMissingFactory', { type, step: number })
  return type
}

function invalid(operatorName: string, step: number, why: string, cause?: unknown): Refusal {
  return new Refusal('ErrFactoryError', { operatorName, err: `step ${step}: ${why}`, step }, { cause })
}

function read(step: Step, number: number, values: ReadonlyMap<string, string>): PreparedStep {
  const type = getStepType(step.type, number)
  try {
    return readAs(type, step, values)
  } catch (error) {
    throw invalid(type, number, errorText(error), error)
  }
}

function readAs<T extends StepType>(type: T, step: Step, values: ReadonlyMap<string, string>): PreparedStep {
  const fields = validate(stepFields[type], fillFields(step, values))
  const createStep: StepFactory<T> = stepFactories[type]
  return createStep(fields as StepFields<T>, values)
}

/**
 * The fields after variable substitution. Lists in one text are split before, so that a value with spaces stays one URL
 * or argument; command lines are substituted later, argument by argument.
 */
function fillFields(
  { type, commands, files, escape: format, if: _, ...allFields }: Step,
  values: ReadonlyMap<string, string>,
): Step {
  // `${…}` in a script is that of its shell; the image is filled in where the variables are known that it accepts.
  const { script, image, ...otherFields } = allFields
  const isScript = type === 'dockerrun'
  const fields = isScript ? otherFields : allFields
  const addresses = typeof files === 'string' ? files.split(/\s+/).filter(Boolean) : files
  const others = Object.entries({ ...fields, ...(files === undefined ? {} : { files: addresses }) })
  const done = Object.fromEntries(
    others.map(([name, field]) => {
      if (name === 'files') return [name, filledField(field, values, filledAddress)]
      if (type === 'stdin') return [name, filledField(field, oneLineValues(values))]
      const isWritten = isEscapeFormat(format) && name === writtenFields[type]
      return [name, filledField(field, isWritten ? escapedValues(format, values) : values)]
    }),
  )
  return {
    ...done,
    type,
    ...(format === undefined ? {} : { escape: format }),
    ...(commands === undefined ? {} : { commands }),
    ...(isScript && { script, image }),
  }
}

/** The field that is written to a file, by step type. */
const writtenFields: Readonly<Record<string, string>> = { writefile: 'text', alterfile: 'replace' }

/** Values escaped for a file format. Throws a refusal with the variable whose value cannot be written. */
function escapedValues(format: EscapeFormat, values: ReadonlyMap<string, string>): Values {
  return {
    get(name) {
      const value = values.get(name)
      return value === undefined ? undefined : escapeValue(format, value, name)
    },
  }
}

type Values = Pick<ReadonlyMap<string, string>, 'get'>

function filledField(field: unknown, values: Values, fill = substitute): unknown {
  if (typeof field === 'string') return fill(field, values)
  if (Array.isArray(field)) return field.map((part: unknown) => (typeof part === 'string' ? fill(part, values) : part))
  return field
}

/** A value may be a part of a URL, and not lead to another place of its host, unless it is the whole URL. */
function filledAddress(text: string, values: Values): string {
  const filled = substitute(text, values)
  const isWhole = /^\$\{[^{}$]+\}$/.test(text)
  if (!isWhole && climbs(filled) && !climbs(text)) throw new Error(`a value leads out of the address ${text}`)
  return filled
}

/** Whether a URL has `..` in its path, in any form that parsers of URLs know. */
function climbs(address: string): boolean {
  const [path = ''] = address.replace(/[\t\r\n]/g, '').split(/[?#]/, 1)
  return path.split(/[/\\]/).some((part) => /^(?:\.|%2e){2}$/i.test(part))
}

/** A value must not add lines to what the server reads. */
function oneLineValues(values: Values): Values {
  return { get: (name) => values.get(name)?.replace(/[\r\n]+/g, ' ') }
}
