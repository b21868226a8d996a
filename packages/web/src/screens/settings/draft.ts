import { refusalOfInput } from '@innkeeper/contract/accept'
import type { Refusal } from '@innkeeper/contract/refusals'
import {
  adminSettings,
  type EmailProvider,
  emailFields,
  postSettings,
  type Setting,
  type SettingKey,
  secretSettings,
} from '@innkeeper/contract/settings'
import { withLabel } from '../../forms/apply-error.ts'

/** A setting as it is held; one for administrators is shown to others, and cannot be changed by them. */
type HeldSetting = Setting & { readonly isForAdmins?: boolean }
/** The settings as the panel holds them. */
export type Held = Readonly<Partial<Record<SettingKey, HeldSetting>>>
/** What a person changed and did not save yet. A secret stands here only when it is to be replaced or removed. */
export type Draft = Readonly<Partial<Record<SettingKey, string | boolean>>>

const nothing: HeldSetting = { value: '', isSet: false, isFixed: false }

export function heldOf(held: Held, key: SettingKey): HeldSetting {
  return held[key] ?? nothing
}

/** The settings for somebody who is no administrator. */
export function withoutAdmins(held: Held): Held {
  const fixed = adminSettings.flatMap((key) => {
    const setting = heldOf(held, key)
    return setting.isFixed ? [] : [[key, { ...setting, isFixed: true, isForAdmins: true }] as const]
  })
  return { ...held, ...Object.fromEntries(fixed) }
}

/** Why a setting cannot be changed here: a key of the texts. */
export function reasonOf({ isForAdmins }: HeldSetting): 'settings.ForAdmins' | 'settings.Fixed' {
  return isForAdmins ? 'settings.ForAdmins' : 'settings.Fixed'
}

/** The value that a field shows. */
export function currentOf(held: Held, draft: Draft, key: SettingKey): string | boolean {
  return draft[key] ?? heldOf(held, key).value
}

export function textIn(held: Held, draft: Draft, key: SettingKey): string {
  return String(currentOf(held, draft, key))
}

/** The values of some settings in a form. A secret is `null` until it is to be replaced, or removed with an empty text. */
export type SettingsValues = Readonly<Partial<Record<SettingKey, string | boolean | null>>>

/** The values as they are saved. */
export function savedValues(held: Held, keys: readonly SettingKey[]): SettingsValues {
  return Object.fromEntries(keys.map((key) => [key, secretSettings.includes(key) ? null : heldOf(held, key).value]))
}

/** The values as they may be sent: nothing that cannot be changed, and no secret removed that is not there. */
export function normalizedValues(held: Held, values: SettingsValues): SettingsValues {
  const saved = savedValues(held, Object.keys(values) as SettingKey[])
  return Object.fromEntries(
    (Object.keys(values) as SettingKey[]).map((key) => {
      const { isFixed, isSet } = heldOf(held, key)
      const isNothing = secretSettings.includes(key) && values[key] === '' && !isSet
      return [key, isFixed || isNothing ? saved[key] : values[key]]
    }),
  )
}

/** What of the values a person changed. */
export function draftOf(held: Held, values: SettingsValues): Draft {
  const saved = savedValues(held, Object.keys(values) as SettingKey[])
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => value !== null && value !== saved[key as SettingKey]),
  ) as Draft
}

/** What stands against a value, named as its field is; `undefined` when nothing does. */
export function objectionTo(key: SettingKey, value: string | boolean, label: string): Refusal | undefined {
  const { error } = postSettings.body.safeParse({ [key]: value })
  return error && withLabel(refusalOfInput(error), label)
}

/** The way mail is sent, as the form shows it. */
export function providerIn(held: Held, draft: Draft): EmailProvider {
  return currentOf(held, draft, 'panel.email.provider') as EmailProvider
}

/** Everything that the form of a provider asks for, in the order in which it stands. */
export function fieldsOf(provider: EmailProvider): readonly SettingKey[] {
  return [...emailFields[provider].needed, ...emailFields[provider].optional]
}

/** Mailgun and Mailjet keep different things under the same keys. */
const sharedByOthers: readonly SettingKey[] = ['panel.email.domain', 'panel.email.key']

/** Whether what the panel holds there belongs to another provider than the one chosen. */
export function isForeign(held: Held, draft: Draft, key: SettingKey): boolean {
  const [now, before] = [providerIn(held, draft), providerIn(held, {})]
  return sharedByOthers.includes(key) && now !== before && fieldsOf(before).includes(key) && fieldsOf(now).includes(key)
}

/** The draft with another provider: what only the one before could use is not asked for, nor sent. */
export function withProvider(held: Held, draft: Draft, provider: EmailProvider): Draft {
  const wanted = fieldsOf(provider)
  const kept = Object.entries(draft).filter(
    ([key]) => wanted.includes(key as SettingKey) && !sharedByOthers.includes(key as SettingKey),
  )
  const chosen: Draft = { ...Object.fromEntries(kept), 'panel.email.provider': provider }
  const foreign = sharedByOthers.filter((key) => isForeign(held, chosen, key))
  return { ...chosen, ...Object.fromEntries(foreign.map((key) => [key, ''])) }
}

/** The fields that the provider cannot do without, and that are empty. */
export function missingIn(held: Held, draft: Draft): readonly SettingKey[] {
  return emailFields[providerIn(held, draft)].needed.filter((key) => {
    if (!secretSettings.includes(key)) return textIn(held, draft, key).trim() === ''
    return draft[key] === undefined ? !heldOf(held, key).isSet || isForeign(held, draft, key) : draft[key] === ''
  })
}
