import { getData, putData, type ServerData } from '@innkeeper/contract/node-servers'
import { booleanOf, objectionTo, textOf, typeOf, type Variable } from '@innkeeper/contract/variables'
import { Badge, Paper } from '@mantine/core'
import { IconAdjustments } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { isSecretName } from '../../api/request-details.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { ifMatch, refetchOrThrow, useVersionedApiQuery, type VersionedAnswer } from '../../api/use-api-query.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { type TFunction, useFormatters, useT } from '../../i18n/i18n.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { sectionsOf } from '../variables/sections.ts'
import { useConditions } from '../variables/use-conditions.ts'
import { VariableField } from '../variables/variable-field.tsx'
import { FieldGrid, VariableSections } from '../variables/variable-sections.tsx'
import { type Field, fieldsOf, type SettingsDraft, savedIn, valuesNow, valuesToSend } from './fields.ts'
import classes from './server-settings.module.css'

/** The editable variables of a server. */
export function ServerSettings({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const t = useT()
  const data = useVersionedApiQuery(getData, { params: { id } }, { refetchOnWindowFocus: false })

  if (data.isPending) return <SettingsSkeleton />
  if (data.isError) {
    return <QueryError title={t('server.SettingsNotLoaded')} error={data.error} retry={() => void data.refetch()} />
  }
  if (fieldsOf(data.data.answer.data, isAdmin).length === 0) {
    return <EmptyState icon={<IconAdjustments size={24} aria-hidden />} title={t('server.SettingsNone')} />
  }
  return <SettingsForm id={id} isAdmin={isAdmin} data={data.data} reload={() => refetchOrThrow(data)} />
}

type Data = VersionedAnswer<ServerData>

interface SettingsFormProps {
  readonly id: string
  readonly isAdmin: boolean
  readonly data: Data
  readonly reload: () => Promise<Data>
}

function SettingsForm({ id, isAdmin, data, reload }: SettingsFormProps) {
  const t = useT()
  const { number } = useFormatters()
  const { data: variables, groups = [] } = data.answer
  const put = useApiMutation(putData, { silent: true, invalidates: [getData] })
  const conditions = useConditions(groups)
  const fields = fieldsOf(variables, isAdmin)
  const fieldOf = (name: string) => fields.find((field) => field.name === name)
  const savedOf = ({ answer, version }: Data) => ({ values: savedIn(fieldsOf(answer.data, isAdmin)), version })
  const form = useSaveForm<SettingsDraft>({
    id: `server-${id}-settings`,
    saved: savedOf(data),
    reload: async () => savedOf(await reload()),
    isPrivate: (name) => isSecretName(name) || isSecretName(fieldOf(name)?.label ?? ''),
    labelOf: (name) => fieldOf(name)?.label ?? name,
    describe: (name, value) => describe(t, fieldOf(name)?.variable, String(value)),
    fieldFor: (name) => name.replace(/^data\.|\.value$/g, ''),
    validate: (values, changed) =>
      Object.fromEntries(
        fields.flatMap(({ name, variable, label }) => {
          const objection = changed.includes(name) && objectionTo(name, variable, values[name] ?? '', label)
          return objection ? [[name, errorMessage(t, objection)]] : []
        }),
      ),
    send: ({ changed, version }) =>
      put.mutateAsync({ params: { id }, body: { data: valuesToSend(fields, changed) } }, ifMatch(version)),
  })
  const values = valuesNow(variables, form.values)
  // Where something has to be put right, nothing is folded away.
  const hasError = (name: string) => form.errors[name] !== undefined
  const sections = sectionsOf(
    fields,
    groups,
    (group) => conditions.isThere(group, { values }) || group.variables.some(hasError),
  )
  const row = ({ name, variable, saved }: Field) => {
    const { onChange, onBlur } = form.field(name)
    return (
      <VariableField
        key={name}
        name={name}
        variable={variable}
        value={form.values[name] ?? saved}
        problem={form.errors[name]}
        onChange={onChange}
        onLeave={onBlur}
      />
    )
  }
  if (conditions.isLoading) return <SettingsSkeleton />
  const changes = form.edited.length
  return (
    <SaveForm form={form} className={classes.form}>
      <Paper>
        <div className={classes.head}>
          <h2>{t('server.SettingsTitle')}</h2>
          <span>{t('server.SettingsCount', { count: sections.flatMap((section) => section.fields).length })}</span>
        </div>
        <VariableSections sections={sections}>
          {(fields) => (
            <>
              <Rows fields={fields.filter(({ isGuarded }) => !isGuarded)} row={row} />
              <Rows fields={fields.filter(({ isGuarded }) => isGuarded)} row={row} isGuarded />
            </>
          )}
        </VariableSections>
        <SaveBar
          isInline
          form={form}
          message={t('server.SettingsUnsaved', { count: changes, changes: number(changes) })}
        />
      </Paper>
    </SaveForm>
  )
}

/** A value as its field shows it. */
function describe(t: TFunction, variable: Variable | undefined, value: string): string {
  if (!variable) return value
  if (typeOf(variable) === 'boolean') return t(booleanOf(value) ? 'forms.On' : 'forms.Off')
  return variable.options?.find((option) => textOf(option.value) === value)?.display || value
}

interface RowsProps {
  readonly fields: readonly Field[]
  readonly row: (field: Field) => ReactNode
  readonly isGuarded?: boolean
}

function Rows({ fields, row, isGuarded = false }: RowsProps) {
  const t = useT()
  if (fields.length === 0) return null
  return (
    <>
      {isGuarded && (
        <div className={classes.divider}>
          <Badge>{t('server.SettingsOnlyAdministrators')}</Badge>
        </div>
      )}
      <FieldGrid>{fields.map(row)}</FieldGrid>
    </>
  )
}

function SettingsSkeleton() {
  const t = useT()
  return (
    <Paper className={classes.form}>
      <div className={classes.head} aria-busy="true">
        <h2>{t('server.SettingsTitle')}</h2>
      </div>
      <FieldGrid>
        {[1, 2, 3, 4].map((place) => (
          <span key={place} className={classes.skeleton} />
        ))}
      </FieldGrid>
    </Paper>
  )
}
