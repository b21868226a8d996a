import { validationError } from '@innkeeper/contract/definitions/validate'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  adminSettings,
  type EmailProvider,
  emailFields,
  postSettings,
  type Setting,
  type SettingKey,
  secretSettings,
} from '@innkeeper/contract/settings/settings'
import { withLabel } from '../../forms/apply-error.ts'
import type { TranslationKey } from '../../i18n/i18n.tsx'

/** A setting as saved. Users without admin permission see an admin-only setting, but cannot change it. */
type SavedSetting = Setting & { readonly isAdminOnly?: boolean }
export type SavedSettings = Readonly<Partial<Record<SettingKey, SavedSetting>>>
/** The unsaved changes. A secret is in it only when it is replaced, or removed with an empty text. */
export type PanelSettingsDraft = Readonly<Partial<Record<SettingKey, string | boolean>>>
/** Form values. A secret is `null` until it is replaced or removed. */
export type SettingsValues = Readonly<Partial<Record<SettingKey, string | boolean | null>>>

const unset: SavedSetting = { value: '', isSet: false, isFixed: false }

export function getSetting(settings: SavedSettings, key: SettingKey): SavedSetting {
  return settings[key] ?? unset
}

/** The settings for users without admin permission: admin-only ones are fixed. */
export function lockAdminSettings(settings: SavedSettings): SavedSettings {
  const locked = adminSettings.flatMap((key) => {
    const setting = getSetting(settings, key)
    return setting.isFixed ? [] : [[key, { ...setting, isFixed: true, isAdminOnly: true }] as const]
  })
  return { ...settings, ...Object.fromEntries(locked) }
}

/** The text key that explains why a setting cannot be changed; `undefined` when it can. */
export function readOnlyReason(settings: SavedSettings, key: SettingKey): TranslationKey | undefined {
  const { isFixed, isAdminOnly } = getSetting(settings, key)
  if (!isFixed) return undefined
  if (isAdminOnly) return 'settings.ForAdmins'
  if (key === 'panel.settings.masterUrl') return 'settings.FixedMasterUrl'
  return key === 'panel.settings.templateIndex' ? 'settings.FixedTemplateIndex' : 'settings.Fixed'
}

/** The edited value, or the saved one. */
export function getValue(settings: SavedSettings, draft: PanelSettingsDraft, key: SettingKey): string | boolean {
  return draft[key] ?? getSetting(settings, key).value
}

export function getText(settings: SavedSettings, draft: PanelSettingsDraft, key: SettingKey): string {
  return String(getValue(settings, draft, key))
}

/** The saved settings as form values. */
export function toFormValues(settings: SavedSettings, keys: readonly SettingKey[]): SettingsValues {
  return Object.fromEntries(
    keys.map((key) => [key, secretSettings.includes(key) ? null : getSetting(settings, key).value]),
  )
}

/** Resets what cannot be sent: fixed settings, and the removal of a secret that is not set. */
export function normalizeValues(settings: SavedSettings, values: SettingsValues): SettingsValues {
  const keys = Object.keys(values) as SettingKey[]
  const saved = toFormValues(settings, keys)
  return Object.fromEntries(
    keys.map((key) => {
      const { isFixed, isSet } = getSetting(settings, key)
      const removesNothing = secretSettings.includes(key) && values[key] === '' && !isSet
      return [key, isFixed || removesNothing ? saved[key] : values[key]]
    }),
  )
}

/** The values that differ from the saved ones. */
export function toDraft(settings: SavedSettings, values: SettingsValues): PanelSettingsDraft {
  const saved = toFormValues(settings, Object.keys(values) as SettingKey[])
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => value !== null && value !== saved[key as SettingKey]),
  ) as PanelSettingsDraft
}

/** Returns the validation error of a value with the label of its field, or `undefined` when it is valid. */
export function validateSetting(key: SettingKey, value: string | boolean, label: string): Refusal | undefined {
  const { error } = postSettings.body.safeParse({ [key]: value })
  return error && withLabel(validationError(error), label)
}

export function getProvider(settings: SavedSettings, draft: PanelSettingsDraft): EmailProvider {
  return getValue(settings, draft, 'panel.email.provider') as EmailProvider
}

/** The settings of an email provider, in the order of their fields. */
export function getProviderFields(provider: EmailProvider): readonly SettingKey[] {
  return [...emailFields[provider].needed, ...emailFields[provider].optional]
}

/** Mailgun and Mailjet store different things under these keys. */
const ambiguousKeys: readonly SettingKey[] = ['panel.email.domain', 'panel.email.key']

/** Whether the saved value belongs to the saved provider, and not to the one in the draft. */
export function belongsToOtherProvider(settings: SavedSettings, draft: PanelSettingsDraft, key: SettingKey): boolean {
  const [current, saved] = [getProvider(settings, draft), getProvider(settings, {})]
  return (
    current !== saved &&
    ambiguousKeys.includes(key) &&
    getProviderFields(saved).includes(key) &&
    getProviderFields(current).includes(key)
  )
}

/** The draft with another provider: without edits of fields that this provider has not, or uses for something else. */
export function setProvider(
  settings: SavedSettings,
  draft: PanelSettingsDraft,
  provider: EmailProvider,
): PanelSettingsDraft {
  const fields = getProviderFields(provider)
  const kept = Object.entries(draft).filter(
    ([key]) => fields.includes(key as SettingKey) && !ambiguousKeys.includes(key as SettingKey),
  )
  const next: PanelSettingsDraft = { ...Object.fromEntries(kept), 'panel.email.provider': provider }
  const cleared = ambiguousKeys.filter((key) => belongsToOtherProvider(settings, next, key))
  return { ...next, ...Object.fromEntries(cleared.map((key) => [key, ''])) }
}

/** The required fields of the provider that are empty. */
export function getMissingFields(settings: SavedSettings, draft: PanelSettingsDraft): readonly SettingKey[] {
  return emailFields[getProvider(settings, draft)].needed.filter((key) => {
    if (!secretSettings.includes(key)) return getText(settings, draft, key).trim() === ''
    if (draft[key] !== undefined) return draft[key] === ''
    return !getSetting(settings, key).isSet || belongsToOtherProvider(settings, draft, key)
  })
}
