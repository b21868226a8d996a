import { Refusal } from '@innkeeper/contract/errors/refusals'
import { CanceledError } from '../command/terminal.ts'
import { type PanelClient, PanelError } from './panel-client.ts'
import { nameOfStep, type Plan, PlanBuilder, type PlanInput } from './plan.ts'
import { planServers } from './plan-servers.ts'
import { planTemplates } from './plan-templates.ts'
import { planUsers } from './plan-users.ts'

/** A change was refused. The message lists what was done before it, and what was not. */
export class ApplyError extends Error {
  override readonly name = 'ApplyError'
}

/** Compares a file with a panel. Changes come before removals. */
export function getPlan(input: PlanInput): Plan {
  const builder = new PlanBuilder()
  const templates = planTemplates(input, builder)
  planUsers(input, builder)
  planServers(input, templates, builder)
  const { changes, removals, unchanged, problems } = builder
  // Servers first: a template or user may be in use.
  return { changes: [...changes, ...removals.toReversed()], unchanged, problems }
}

interface ApplyOptions {
  readonly client: PanelClient
  /** Is called after each change. */
  readonly report: (name: string) => void
  /** Ends before the next change. */
  readonly signal: AbortSignal
}

/**
 * Makes the changes in order. Ends at the first that is refused.
 * @throws ApplyError; CanceledError when the signal is aborted
 */
export async function applyPlan({ changes }: Plan, { client, report, signal }: ApplyOptions): Promise<void> {
  const steps = changes.flatMap((change) => change.steps.map((step) => ({ name: nameOfStep(change, step), step })))
  const names = steps.map(({ name }) => name)
  const progressAt = (at: number) =>
    [...formatList('Done:', names.slice(0, at)), ...formatList('Not done:', names.slice(at))].join('\n')
  for (const [at, { name, step }] of steps.entries()) {
    if (signal.aborted) throw new CanceledError(`Interrupted.\n${progressAt(at)}`)
    try {
      await step.run(client)
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof PanelError)) throw error
      throw new ApplyError(`${name}: ${error.message.replace(/\.$/, '')}.\n${progressAt(at)}`, { cause: error })
    }
    report(name)
  }
}

const formatList = (title: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [title, ...names.map((name) => `  ${name}`)]
