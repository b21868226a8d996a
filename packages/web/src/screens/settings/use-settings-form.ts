import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { listSettings, postSettings, type SettingKey, secretSettings } from '@innkeeper/contract/settings/settings'
import { useApiMutation } from '../../api/use-action.ts'
import { type Saved, useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import {
  normalizeValues,
  type PanelSettingsDraft,
  type SavedSettings,
  type SettingsValues,
  toDraft,
  toFormValues,
  validateSetting,
} from './setting-values.ts'

interface VersionedSettings {
  readonly settings: SavedSettings
  readonly version: string | undefined
}

/** The saved settings of the panel, and how to load newer ones. */
export interface LoadedSettings extends VersionedSettings {
  readonly reload: () => Promise<VersionedSettings>
}

interface SettingsFormOptions {
  /** The id of the card. */
  readonly id: string
  readonly loaded: LoadedSettings
  /** The settings in this form. */
  readonly keys: readonly SettingKey[]
  readonly getLabel: (key: SettingKey, draft: PanelSettingsDraft) => string
  /** The required fields that are empty. */
  readonly getMissing?: (draft: PanelSettingsDraft) => readonly SettingKey[]
}

/** The form of one settings card, which is saved independently of the others. */
export function useSettingsForm({ id, loaded, keys, getLabel, getMissing = () => [] }: SettingsFormOptions) {
  const t = useT()
  const { settings, reload } = loaded
  const { mutateAsync } = useApiMutation(postSettings, { invalidates: [listSettings, getConfig] })
  const toSaved = (latest: VersionedSettings): Saved<SettingsValues> => ({
    values: toFormValues(latest.settings, keys),
    version: latest.version,
  })
  const form = useSaveForm<SettingsValues>({
    id: `settings-${id}`,
    saved: toSaved(loaded),
    reload: async () => toSaved(await reload()),
    secrets: keys.filter((key) => secretSettings.includes(key)),
    normalize: (values) => normalizeValues(settings, values),
    getLabel: (key, values) => getLabel(key, toDraft(settings, values)),
    validate: (values, changed) => {
      const draft = toDraft(settings, values)
      const errors: Partial<Record<SettingKey, string>> = {}
      for (const key of changed) {
        const error = validateSetting(key, values[key] ?? '', getLabel(key, draft))
        if (error) errors[key] = errorMessage(t, error)
      }
      for (const key of getMissing(draft))
        errors[key] = errorMessage(t, new Refusal('ErrFieldRequired', { field: getLabel(key, draft) }))
      return errors
    },
    send: ({ changed, version }) => mutateAsync({ body: postSettings.body.parse(changed) }, { version }),
  })
  return {
    form,
    settings,
    draft: toDraft(settings, form.values),
    /** Sets one setting; `undefined` resets it to the saved value. */
    change: (key: SettingKey, value: string | boolean | undefined) => form.set({ [key]: value ?? form.saved[key] }),
    /** Replaces the draft. */
    replaceDraft: (draft: PanelSettingsDraft) => form.set({ ...form.saved, ...draft }),
  }
}
export type SettingsForm = ReturnType<typeof useSettingsForm>
