import type { PanelClient } from './panel-client.ts'
import type { PanelState } from './panel-state.ts'
import type { ManifestPath, ManifestProblem } from './read-manifest.ts'
import type { Manifest } from './schema.ts'

/** One call of the panel, or a few that belong together. */
export interface PlanStep {
  /** What it changes of the subject: `permissions`; empty for the subject itself. */
  readonly label: string
  /** A line for each field. */
  readonly details: readonly string[]
  run(client: PanelClient): Promise<unknown>
}

export interface Change {
  readonly action: 'create' | 'change' | 'delete'
  /** `server Lobby` */
  readonly subject: string
  readonly steps: readonly PlanStep[]
}

export interface Plan {
  readonly changes: readonly Change[]
  /** Templates, users and servers of the file that are as the file says. */
  readonly unchanged: number
  /** What is wrong in the file: nothing is changed. */
  readonly problems: readonly ManifestProblem[]
}

/** What parts of a plan are made from. */
export interface PlanInput {
  readonly manifest: Manifest
  readonly state: PanelState
  /** The user who makes the changes. */
  readonly userId: number
  /** Whether what the file does not have is deleted. */
  readonly prune: boolean
}

/** Collects changes and problems. */
export class PlanBuilder {
  readonly changes: Change[] = []
  readonly removals: Change[] = []
  readonly problems: ManifestProblem[] = []
  unchanged = 0

  problem(path: ManifestPath, message: string): void {
    this.problems.push({ path, message })
  }

  /** Adds a change unless it has no steps. */
  add(action: 'create' | 'change', subject: string, steps: readonly PlanStep[]): void {
    if (steps.length === 0) this.unchanged++
    else this.changes.push({ action, subject, steps })
  }

  remove(subject: string, details: readonly string[], run: PlanStep['run']): void {
    this.removals.push({ action: 'delete', subject, steps: [{ label: '', details, run }] })
  }
}

const verbs = { create: 'Create', change: 'Change', delete: 'Delete' } as const

/** The plan as text for the terminal. */
export function textOfPlan({ changes, unchanged }: Plan): string {
  const lines = changes.flatMap(({ action, subject, steps }) => [
    `${verbs[action]} ${subject}`,
    ...steps.flatMap(({ details }) => details).map((line) => `  ${line}`),
  ])
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length
  const sum = `${count('create')} to create, ${count('change')} to change, ${count('delete')} to delete, ${unchanged} unchanged.`
  return [...lines, ...(lines.length > 0 ? [''] : []), sum].join('\n')
}

/** What is done, for the report: `server Lobby, tags`. */
export const nameOfStep = ({ subject }: Pick<Change, 'subject'>, { label }: Pick<PlanStep, 'label'>): string =>
  label === '' ? subject : `${subject}, ${label}`
