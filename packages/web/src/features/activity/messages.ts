import type { ActivityEntry } from '@innkeeper/contract/activity/activity'
import { auditActions } from '@innkeeper/contract/api/audit-actions'
import { isRefusalCode, refusals } from '@innkeeper/contract/errors/refusals'
import { type SettingKey, settingKeys } from '@innkeeper/contract/settings/settings'
import type { Formatters } from '../../i18n/formatters.ts'
import { findText, type TFunction, type TranslationKey } from '../../i18n/i18n.tsx'

/** The subjects of all actions: the part of their names before the first dot, in the order of the contract. */
export const subjects: readonly string[] = [...new Set(auditActions.map(getSubject))]

export function getSubject(action: string): string {
  return action.split('.')[0] ?? action
}

/** An action in words. An action that this version does not know keeps its name. */
export function getActionLabel(t: TFunction, action: string): string {
  return findText(t, `activity.Action_${action.replaceAll('.', '_')}`) ?? action
}

const settingNames: Readonly<Record<SettingKey, readonly [TranslationKey, TranslationKey?]>> = {
  'panel.settings.companyName': ['settings.CompanyName'],
  'panel.settings.defaultTheme': ['settings.DefaultTheme'],
  'panel.settings.masterUrl': ['settings.MasterUrl'],
  'panel.settings.templateIndex': ['settings.TemplateIndex'],
  'panel.registrationEnabled': ['settings.Registration'],
  'panel.secondFactor.required': ['settings.SecondFactor'],
  'panel.secondFactor.from': ['settings.SecondFactor', 'settings.SecondFactorFrom'],
  'panel.email.provider': ['common.Email', 'settings.Provider'],
  'panel.email.from': ['common.Email', 'settings.From'],
  'panel.email.domain': ['common.Email', 'settings.Domain'],
  'panel.email.host': ['common.Email', 'settings.Host'],
  'panel.dns.provider': ['settings.Dns', 'settings.Provider'],
  'panel.dns.zone': ['settings.Dns', 'settings.DnsZone'],
  'panel.dns.server': ['settings.Dns', 'settings.DnsServer'],
  'panel.dns.url': ['settings.Dns', 'settings.DnsUrl'],
  'panel.dns.keyName': ['settings.Dns', 'settings.DnsKeyName'],
  'panel.dns.key': ['settings.Dns', 'settings.DnsKey'],
  'panel.email.key': ['common.Email', 'settings.ApiKey'],
  'panel.email.username': ['common.Email', 'common.Username'],
  'panel.email.password': ['common.Email', 'common.Password'],
}

/** The label of a setting, after that of its card where it needs one. */
function getSettingName(t: TFunction, name: string): string {
  const key = settingKeys.find((settingKey) => settingKey === name)
  const labels =
    name === 'panel.backups.retention'
      ? (['server.TabBackups', 'backups.Retention'] as const)
      : key && settingNames[key]
  if (!labels) return name
  const [card, setting] = labels
  return setting ? t('activity.SettingIn', { card: t(card), setting: t(setting) }) : t(card)
}

/**
 * The target of an entry. Settings are shown by their labels, an OAuth2 client without a name with the beginning of its
 * ID.
 */
export function getTargetName(
  t: TFunction,
  { list }: Pick<Formatters, 'list'>,
  { action, target }: Pick<ActivityEntry, 'action' | 'target'>,
): string | undefined {
  if (action === 'settings.edit' && target !== undefined) {
    return list(target.split(', ').map((name) => getSettingName(t, name)))
  }
  const isUnnamed = action.split('.').includes('client') && uuid.test(target ?? '')
  return isUnnamed ? t('activity.UnnamedClient', { id: target?.slice(0, 8) ?? '' }) : target
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The message of an error code; the code itself when the message needs values, which the log does not store. */
export function getErrorText(t: TFunction, code: string): string {
  return isRefusalCode(code) && !refusals[code][1].includes('${') ? t(`errors.${code}`) : code
}
