import type { Step } from '@innkeeper/contract/operations'
import type { ReactNode } from 'react'
import type { TFunction } from '../../i18n/i18n.tsx'

/** How the steps of a task are edited: the screen hands it in, since templates share it. */
export interface StepEditing {
  readonly list: (given: {
    readonly steps: readonly Step[]
    readonly onChange: (next: readonly Step[]) => void
    readonly label: string
    /** In words, by path: `2.files`. */
    readonly problems: ReadonlyMap<string, string>
  }) => ReactNode
  readonly problemsOf: (t: TFunction, steps: readonly Step[]) => ReadonlyMap<string, string>
  readonly withoutBlankLines: (steps: readonly Step[]) => readonly Step[]
}
