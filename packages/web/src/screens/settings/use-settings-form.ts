import { getConfig } from '@innkeeper/contract/panel'
import { Refusal } from '@innkeeper/contract/refusals'
import { listSettings, postSettings, type SettingKey, secretSettings } from '@innkeeper/contract/settings'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { ifMatch } from '../../api/use-api-query.ts'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import {
  type Draft,
  draftOf,
  type Held,
  normalizedValues,
  objectionTo,
  type SettingsValues,
  savedValues,
} from './draft.ts'

/** All settings as they are saved, with the version they were read with. */
export interface SavedSettings {
  readonly held: Held
  readonly version: string | undefined
  readonly reload: () => Promise<{ readonly held: Held; readonly version: string | undefined }>
}

interface SettingsFormOptions {
  /** Names the card. */
  readonly id: string
  readonly saved: SavedSettings
  /** The settings that stand on it. */
  readonly keys: readonly SettingKey[]
  /** What a field is called. */
  readonly labelOf: (key: SettingKey, draft: Draft) => string
  /** The fields that may not be empty and are. */
  readonly missing?: (draft: Draft) => readonly SettingKey[]
}

/** A card of settings that saves by itself. */
export function useSettingsForm({ id, saved, keys, labelOf, missing = () => [] }: SettingsFormOptions) {
  const t = useT()
  const { held, version, reload } = saved
  const { mutateAsync } = useApiMutation(postSettings, { silent: true, invalidates: [listSettings, getConfig] })
  const form = useSaveForm<SettingsValues>({
    id: `settings-${id}`,
    saved: { values: savedValues(held, keys), version },
    reload: async () => {
      const latest = await reload()
      return { values: savedValues(latest.held, keys), version: latest.version }
    },
    secrets: keys.filter((key) => secretSettings.includes(key)),
    normalize: (values) => normalizedValues(held, values),
    labelOf: (key, values) => labelOf(key, draftOf(held, values)),
    validate: (values, changed) => {
      const draft = draftOf(held, values)
      const errors: Partial<Record<SettingKey, string>> = {}
      for (const key of changed) {
        const objection = objectionTo(key, values[key] ?? '', labelOf(key, draft))
        if (objection) errors[key] = errorMessage(t, objection)
      }
      for (const key of missing(draft))
        errors[key] = errorMessage(t, new Refusal('ErrFieldRequired', { field: labelOf(key, draft) }))
      return errors
    },
    send: ({ changed, version: seen }) => mutateAsync({ body: postSettings.body.parse(changed) }, ifMatch(seen)),
  })
  return {
    form,
    /** What was changed and is not saved. */
    draft: draftOf(held, form.values),
    /** Sets one setting; `undefined` goes back to what is saved. */
    change: (key: SettingKey, value: string | boolean | undefined) => form.set({ [key]: value ?? form.saved[key] }),
    /** Puts another draft in the place of all that was changed. */
    replace: (draft: Draft) => form.set({ ...form.saved, ...draft }),
  }
}
export type SettingsForm = ReturnType<typeof useSettingsForm>
