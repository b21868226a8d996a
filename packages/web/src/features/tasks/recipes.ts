import type { StepType } from '@innkeeper/contract/definitions/operations'
import { IconArchive, IconHourglass, IconRefresh, IconSpeakerphone, type TablerIcon } from '@tabler/icons-react'
import type { TFunction, TranslationKey } from '../../i18n/i18n.tsx'
import { newStep } from '../steps/step-rules.ts'
import type { TaskForm } from './task-form.ts'

/** A task that many servers have, to begin with. */
export interface Recipe {
  readonly name: TranslationKey
  readonly Icon: TablerIcon
  readonly cron: string
  readonly steps: readonly RecipeStep[]
}

interface RecipeStep {
  readonly type: StepType
  readonly [field: string]: unknown
}

const restart: RecipeStep = { type: 'power', action: 'restart' }

export const recipes: readonly Recipe[] = [
  {
    name: 'tasks.RecipeRestart',
    Icon: IconRefresh,
    cron: '0 5 */1 * ?',
    steps: [restart],
  },
  {
    name: 'tasks.RecipeCountdown',
    Icon: IconHourglass,
    cron: '50 4 */1 * ?',
    steps: [{ type: 'countdown' }, restart],
  },
  { name: 'tasks.RecipeBackup', Icon: IconArchive, cron: '0 4 */1 * ?', steps: [{ type: 'backup' }] },
  { name: 'tasks.RecipeAnnounce', Icon: IconSpeakerphone, cron: '0 */1 * * ?', steps: [{ type: 'stdin' }] },
]

/** The form of a new task with this recipe. */
export function toRecipeForm(t: TFunction, { name, cron, steps }: Recipe): Partial<TaskForm> {
  return { name: t(name), isScheduled: true, cron, steps: steps.map((step) => ({ ...newStep(step.type), ...step })) }
}
