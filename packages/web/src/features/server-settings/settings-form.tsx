import { getData, putData, type ServerData } from '@innkeeper/contract/definitions/server-definition'
import { Badge, Box, Paper, Skeleton, Text } from '@mantine/core'
import { IconAdjustments } from '@tabler/icons-react'
import { isSecretName, type VersionedResponse } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { combineQueries, refetchOrThrow, useVersionedApiQuery } from '../../api/use-api.ts'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { type SaveFormOf, useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { groupFields } from '../variables/sections.ts'
import { type EvaluateCondition, useConditions } from '../variables/use-conditions.ts'
import { VariableField } from '../variables/variable-field.tsx'
import { FieldGrid, VariableSections } from '../variables/variable-sections.tsx'
import {
  formatValue,
  getFields,
  getSavedValues,
  mergeValues,
  type ServerSettingsDraft,
  type SettingField,
  toVariableValues,
  validateFields,
} from './fields.ts'

/** Margins of the tab's content; on desktop the page already has them. */
const layout = { maw: '61.25rem', p: { base: 'sm', sm: 0 } } as const

/** The editable variables of a server. */
export function ServerSettings({ id, isAdmin, template }: Omit<SettingsFormProps, 'data' | 'evaluate' | 'reload'>) {
  const t = useT()
  const query = useVersionedApiQuery(getData, { params: { id } }, { refetchOnWindowFocus: false })
  const conditions = useConditions(query.data?.response.groups)
  return (
    <QueryState
      inCard
      query={combineQueries(query, conditions)}
      errorTitle={t('common.SettingsNotLoaded')}
      skeleton={<SettingsSkeleton />}
      isEmpty={([{ response }]) => getFields(t, response.data, isAdmin).length === 0}
      empty={
        <EmptyState
          icon={IconAdjustments}
          title={t('server.SettingsNone')}
          link={isAdmin && { to: `/server/${id}?tab=admin`, label: t('server.TabAdmin') }}
        >
          {t(isAdmin ? 'server.SettingsNoneNext' : 'server.SettingsNoneHow')}
        </EmptyState>
      }
    >
      {([data, evaluate]) => (
        <SettingsForm
          id={id}
          isAdmin={isAdmin}
          template={template}
          data={data}
          evaluate={evaluate}
          reload={() => refetchOrThrow(query)}
        />
      )}
    </QueryState>
  )
}

interface SettingsFormProps {
  readonly id: string
  readonly isAdmin: boolean
  /** The name of the template that the server was made from. */
  readonly template?: string | undefined
  readonly data: VersionedResponse<ServerData>
  readonly evaluate: EvaluateCondition
  readonly reload: () => Promise<VersionedResponse<ServerData>>
}

function SettingsForm({ id, isAdmin, template, data, evaluate, reload }: SettingsFormProps) {
  const t = useT()
  const { number } = useFormatters()
  const { data: variables, groups = [] } = data.response
  const { form, fields } = useServerSettingsForm({ id, isAdmin, data, reload })

  const values = mergeValues(variables, form.values)
  // A group with an error stays visible, even if its condition is false.
  const hasError = (name: string) => form.errors[name] !== undefined
  const sections = groupFields(
    fields,
    groups,
    (group) => evaluate(group.if, { values }) || group.variables.some(hasError),
  )
  const visibleCount = sections.reduce((sum, section) => sum + section.fields.length, 0)
  const changeCount = form.edited.length
  return (
    <Box {...layout}>
      <SaveForm form={form}>
        <Paper>
          <CardHeader title={t('server.SettingsTitle')}>
            <Text variant="caption">
              {template === undefined
                ? t('server.SettingsCount', { count: visibleCount })
                : t('server.SettingsCountFrom', { count: visibleCount, template })}
            </Text>
          </CardHeader>
          <VariableSections sections={sections}>
            {(sectionFields) => <SectionFields fields={sectionFields} form={form} />}
          </VariableSections>
          <SaveBar
            isInline
            form={form}
            message={t('server.SettingsUnsaved', { count: changeCount, changes: number(changeCount) })}
          />
        </Paper>
      </SaveForm>
    </Box>
  )
}

/** The fields of one section, those for administrators below the others. */
function SectionFields({ fields, form }: { fields: readonly SettingField[]; form: SaveFormOf<ServerSettingsDraft> }) {
  const t = useT()
  const isForAdmins = ({ isAdminOnly, isReadOnly }: SettingField) => isAdminOnly && !isReadOnly
  const userFields = fields.filter((field) => !isForAdmins(field))
  const adminFields = fields.filter(isForAdmins)
  const renderField = ({ name, variable, saved, isReadOnly }: SettingField) => {
    const { onChange, onBlur } = form.field(name)
    return (
      <VariableField
        key={name}
        name={name}
        variable={variable}
        value={form.values[name] ?? saved}
        error={form.errors[name]}
        isReadOnly={isReadOnly}
        onChange={onChange}
        onBlur={onBlur}
      />
    )
  }
  return (
    <>
      {userFields.length > 0 && <FieldGrid>{userFields.map(renderField)}</FieldGrid>}
      {adminFields.length > 0 && (
        <>
          <Box px="md" pt={userFields.length > 0 ? '2xs' : 'md'}>
            <Badge>{t('server.SettingsOnlyAdministrators')}</Badge>
          </Box>
          <FieldGrid>{adminFields.map(renderField)}</FieldGrid>
        </>
      )}
    </>
  )
}

function SettingsSkeleton() {
  const t = useT()
  return (
    <Box {...layout} aria-busy="true">
      <Paper>
        <CardHeader title={t('server.SettingsTitle')} />
        <FieldGrid>
          {[1, 2, 3, 4].map((key) => (
            <Skeleton key={key} h="3.75rem" animate={false} />
          ))}
        </FieldGrid>
      </Paper>
    </Box>
  )
}

type Data = VersionedResponse<ServerData>

interface Options {
  readonly id: string
  readonly isAdmin: boolean
  readonly data: Data
  readonly reload: () => Promise<Data>
}

/** The form state of a server's variables, and the fields that this user sees. */
function useServerSettingsForm({ id, isAdmin, data, reload }: Options) {
  const t = useT()
  const { mutateAsync } = useApiMutation(putData, { invalidates: [getData] })
  const fields = getFields(t, data.response.data, isAdmin)
  const findField = (name: string) => fields.find((field) => field.name === name)
  const getLabel = (name: string) => findField(name)?.label ?? name
  const toSaved = ({ response, version }: Data) => ({
    values: getSavedValues(getFields(t, response.data, isAdmin)),
    version,
  })

  const form = useSaveForm<ServerSettingsDraft>({
    id: `server-${id}-settings`,
    saved: toSaved(data),
    reload: async () => toSaved(await reload()),
    isSecret: (name) => isSecretName(name) || isSecretName(getLabel(name)),
    getLabel,
    formatValue: (name, value) => formatValue(t, findField(name)?.variable, String(value)),
    // The API names the fields `data.<variable>.value`.
    toField: (name) => name.replace(/^data\.|\.value$/g, ''),
    validate: (values, changed) => validateFields(t, fields, values, changed),
    send: ({ changed, version }) =>
      mutateAsync({ params: { id }, body: { data: toVariableValues(fields, changed) } }, { version }),
  })
  return { form, fields }
}
