import { getData, putData, type ServerData } from '@innkeeper/contract/server-definition'
import { isSecretName } from '../../api/request-details.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { ifMatch, type VersionedAnswer } from '../../api/use-api-query.ts'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import {
  formatValue,
  getFields,
  getSavedValues,
  type SettingsDraft,
  toVariableValues,
  validateFields,
} from './fields.ts'

type Data = VersionedAnswer<ServerData>

interface Options {
  readonly id: string
  readonly isAdmin: boolean
  readonly data: Data
  readonly reload: () => Promise<Data>
}

/** The form state of a server's variables, and the fields that this user sees. */
export function useServerSettingsForm({ id, isAdmin, data, reload }: Options) {
  const t = useT()
  const { mutateAsync } = useApiMutation(putData, { silent: true, invalidates: [getData] })
  const fields = getFields(data.answer.data, isAdmin)
  const findField = (name: string) => fields.find((field) => field.name === name)
  const getLabel = (name: string) => findField(name)?.label ?? name
  const toSaved = ({ answer, version }: Data) => ({ values: getSavedValues(getFields(answer.data, isAdmin)), version })

  const form = useSaveForm<SettingsDraft>({
    id: `server-${id}-settings`,
    saved: toSaved(data),
    reload: async () => toSaved(await reload()),
    isPrivate: (name) => isSecretName(name) || isSecretName(getLabel(name)),
    getLabel,
    formatValue: (name, value) => formatValue(t, findField(name)?.variable, String(value)),
    // The API names the fields `data.<variable>.value`.
    toField: (name) => name.replace(/^data\.|\.value$/g, ''),
    validate: (values, changed) => validateFields(t, fields, values, changed),
    send: ({ changed, version }) =>
      mutateAsync({ params: { id }, body: { data: toVariableValues(fields, changed) } }, ifMatch(version)),
  })
  return { form, fields }
}
