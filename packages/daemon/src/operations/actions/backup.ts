import type { StepFields } from '@innkeeper/contract/definitions/operations'
import { limits } from '@innkeeper/contract/text/limits'
import { onlyInTasks, type PreparedStep } from '../context/step-context.ts'

/** Creates a backup of the task's server. */
export function backUpServer({ name, verify }: StepFields<'backup'>): PreparedStep {
  return async (context) => {
    if (!context.backUp) throw new Error(onlyInTasks)
    context.say('Creating a backup')
    const id = await context.backUp(name.trim().slice(0, limits.backupNameMax), verify)
    context.say(`Created ${verify ? 'and verified ' : ''}the backup ${id}`)
  }
}
