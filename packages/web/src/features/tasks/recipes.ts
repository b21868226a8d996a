import type { StepType } from '@innkeeper/contract/definitions/operations'
import { IconArchive, IconRefresh, IconSpeakerphone, type TablerIcon } from '@tabler/icons-react'
import type { TFunction, TranslationKey } from '../../i18n/i18n.tsx'
import { newStep } from '../steps/step-rules.ts'
import type { TaskForm } from './task-form.ts'

/** A task that many servers have, to begin with. */
export interface Recipe {
  readonly name: TranslationKey
  readonly Icon: TablerIcon
  readonly cron: string
  readonly step: StepType
  readonly values?: Readonly<Record<string, unknown>>
}

export const recipes: readonly Recipe[] = [
  {
    name: 'tasks.RecipeRestart',
    Icon: IconRefresh,
    cron: '0 5 */1 * ?',
    step: 'power',
    values: { action: 'restart' },
  },
  { name: 'tasks.RecipeBackup', Icon: IconArchive, cron: '0 4 */1 * ?', step: 'backup' },
  { name: 'tasks.RecipeAnnounce', Icon: IconSpeakerphone, cron: '0 */1 * * ?', step: 'stdin' },
]

/** The form of a new task with this recipe. */
export function toRecipeForm(t: TFunction, { name, cron, step, values }: Recipe): Partial<TaskForm> {
  return { name: t(name), isScheduled: true, cron, steps: [{ ...newStep(step), ...values }] }
}
