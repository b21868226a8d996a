import type { ActivityEntry } from '@innkeeper/contract/activity'
import { auditActions } from '@innkeeper/contract/audit-actions'
import { isRefusalCode, refusals } from '@innkeeper/contract/refusals'
import { findText, type TFunction } from '../../i18n/i18n.tsx'

/** The subjects of all actions: the part of their names before the first dot, in the order of the contract. */
export const subjects: readonly string[] = [...new Set(auditActions.map(getSubject))]

export function getSubject(action: string): string {
  return action.split('.')[0] ?? action
}

/** An action in words. An action that this version does not know keeps its name. */
export function getActionLabel(t: TFunction, action: string): string {
  return findText(t, `activity.Action_${action.replaceAll('.', '_')}`) ?? action
}

/** The target of an entry. An OAuth2 client without a name is shown with the beginning of its ID. */
export function getTargetName(t: TFunction, { action, target }: Pick<ActivityEntry, 'action' | 'target'>) {
  const isUnnamed = action.split('.').includes('client') && uuid.test(target ?? '')
  return isUnnamed ? t('activity.UnnamedClient', { id: target?.slice(0, 8) ?? '' }) : target
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The message of an error code; the code itself when the message needs values, which the log does not store. */
export function getErrorText(t: TFunction, code: string): string {
  return isRefusalCode(code) && !refusals[code][1].includes('${') ? t(`errors.${code}`) : code
}
