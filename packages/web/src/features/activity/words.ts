import { type ActivityEntry, activityActions, commandActions } from '@innkeeper/contract/activity'
import { isRefusalCode, refusals } from '@innkeeper/contract/refusals'
import type { TFunction } from '../../i18n/i18n.tsx'

/** Every action that is written down, by its stable name. */
export const actions: readonly string[] = [
  ...new Set(
    [...Object.values(activityActions), ...Object.values(commandActions)].filter((action) => action !== undefined),
  ),
]

/** What actions are about: the beginning of their names, in the order of the contract. */
export const subjects: readonly string[] = [...new Set(actions.map(subjectOf))]

export function subjectOf(action: string): string {
  return action.split('.')[0] ?? action
}

/** What an action is called; one that this version does not know keeps its own name. */
export function nameOfAction(t: TFunction, action: string): string {
  return actions.includes(action) ? t(`activity.Action_${action.replaceAll('.', '_')}`) : action
}

/** What an entry is about; a client without a name is called so, with the beginning of its id. */
export function nameOfTarget(t: TFunction, { action, target }: Pick<ActivityEntry, 'action' | 'target'>) {
  const isUnnamed = action.split('.').includes('client') && uuid.test(target ?? '')
  return isUnnamed ? t('activity.UnnamedClient', { id: target?.slice(0, 8) ?? '' }) : target
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Why something was refused, where that can be said without the values that the log does not keep; else the code. */
export function reasonOf(t: TFunction, code: string): string {
  return isRefusalCode(code) && !refusals[code][1].includes('${') ? t(`errors.${code}`) : code
}
