import {
  getText,
  getVariableType,
  isOn,
  type Variable,
  type VariableValue,
} from '@innkeeper/contract/definitions/variables'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { limits } from '@innkeeper/contract/text/limits'
import { Button, DataList, Group, Paper, Switch, Title } from '@mantine/core'
import { useId } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { UserPicker } from '../../features/user-picker/user-picker.tsx'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { alignedEnd } from '../../ui/lists/aligned-end.ts'
import { environmentName } from '../../ui/names/environment-name.ts'
import { variableLabel } from '../../ui/names/variable-label.ts'
import { limitRows } from '../../ui/server-forms/limits-fields.tsx'
import classes from './add-server.module.css'
import { type EditableVariable, getLimitsForm, getValue, type Step, type StepProps } from './draft.ts'

interface ReviewStepProps extends StepProps {
  /** The visible variables. */
  readonly fields: readonly EditableVariable[]
  readonly getError: (field: string) => string | undefined
  readonly onStep: (step: Step) => void
  /** Whether the files of an existing server are selected. */
  readonly hasFiles: boolean
}

/** Shows all selections, and asks for the users of the server. */
export function ReviewStep({ draft, template, fields, edit, getError, onStep, hasFiles }: ReviewStepProps) {
  const t = useT()
  const { self } = useSession()
  const nodes = useApiQuery(listNodeChoices, {}, { staleTime: 60_000 })
  const variables = fields.map(
    ({ name, variable }) =>
      [variableLabel(t, name, variable), formatValue(t, variable, getValue(draft, name, variable))] as const,
  )
  const declined = fields.filter(
    ({ name, variable }) => isLicense(name, variable) && isOn(variable, getValue(draft, name, variable)) !== true,
  )
  const { existing } = draft
  const templateName = template.display || (template.name ?? '')
  const startLabelId = useId()
  const hasInstall = (template.install ?? []).length > 0
  return (
    <>
      {existing && (
        <Alert type={hasFiles ? 'info' : 'warning'}>
          {hasFiles
            ? t('add-server.ExistingFound', { name: existing.name, template: templateName })
            : t('add-server.ExistingMissing', { name: existing.name })}
        </Alert>
      )}
      {declined.map(({ name, variable }) => (
        <Alert key={name} type="warning">
          {t('add-server.LicenseDeclined', { name: variableLabel(t, name, variable) })}
        </Alert>
      ))}
      {!existing && (
        <Paper p="md">
          <Switch
            aria-labelledby={startLabelId}
            label={
              <span id={startLabelId}>{t(hasInstall ? 'add-server.InstallAndStart' : 'add-server.StartNow')}</span>
            }
            description={t('add-server.InstallAndStartHelp')}
            checked={draft.staysOffline !== true}
            onChange={({ currentTarget: { checked } }) => edit((current) => ({ ...current, staysOffline: !checked }))}
          />
        </Paper>
      )}
      <ReviewCard
        title={t('add-server.Step_template')}
        onChange={() => onStep('template')}
        rows={[[t('add-server.Step_template'), templateName]]}
      />
      <ReviewCard
        title={t('add-server.Step_target')}
        onChange={() => onStep('target')}
        rows={[
          [t('common.Node'), nodes.data?.find(({ id }) => id === draft.node)?.name ?? ''],
          [t('common.Environment'), environmentName(t, draft.environment ?? '')],
        ]}
      />
      <ReviewCard
        title={t('add-server.Step_settings')}
        onChange={() => onStep('settings')}
        rows={[[t('common.Name'), draft.name.trim()], ...variables, ...limitRows(t, getLimitsForm(draft, template))]}
      />
      <Paper p="md">
        <UserPicker
          label={t('add-server.Users')}
          description={t('add-server.UsersHelp')}
          exclude={self?.username}
          maxUsers={limits.newServerUsers - 1}
          value={draft.users}
          error={getError('users')}
          onChange={(users) => edit((current) => ({ ...current, users }))}
        />
      </Paper>
    </>
  )
}

interface ReviewCardProps {
  readonly title: string
  readonly rows: readonly (readonly [string, string])[]
  readonly onChange: () => void
}

function ReviewCard({ title, rows, onChange }: ReviewCardProps) {
  const t = useT()
  return (
    <Paper px="md" py="sm">
      <Group justify="space-between">
        <Title order={2}>{title}</Title>
        <Button
          variant="subtle"
          size="xs"
          me={alignedEnd}
          aria-label={t('add-server.ChangePart', { part: title })}
          onClick={onChange}
        >
          {t('add-server.Change')}
        </Button>
      </Group>
      <DataList mt="2xs" withDivider labelWidth="clamp(6rem, 30%, 12rem)" className={classes.facts}>
        {rows.map(([label, value]) => (
          <DataList.Item key={label}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue>
              <bdi>{value}</bdi>
            </DataList.ItemValue>
          </DataList.Item>
        ))}
      </DataList>
    </Paper>
  )
}

/** Whether a variable says that the user accepts the license of the program, which does not start otherwise. */
function isLicense(name: string, variable: Variable): boolean {
  return getVariableType(variable) === 'boolean' && name.toLowerCase().includes('eula')
}

/** A value as the user reads it: the label of an option, yes or no, a dash for no value. */
function formatValue(t: TFunction, variable: Variable, value: VariableValue | undefined): string {
  if (getVariableType(variable) === 'boolean') return t(isOn(variable, value) ? 'add-server.Yes' : 'add-server.No')
  const option = (variable.options ?? []).find((candidate) => getText(candidate.value) === getText(value))
  return option?.display || getText(value) || '—'
}
