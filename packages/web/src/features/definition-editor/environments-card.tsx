import { environmentTypes } from '@innkeeper/contract/definition'
import { dockerDefaults, dockerFieldsOf } from '@innkeeper/contract/docker'
import { ActionIcon, Button, Select } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import classes from './definition-editor.module.css'
import { EnvironmentDialog } from './environment-dialog.tsx'
import { EnvironmentFields } from './environment-fields.tsx'
import {
  environmentIn,
  environmentsIn,
  freeTypes,
  kindOf,
  type RawEnvironment,
  retyped,
  withDefault,
  withEnvironments,
} from './environments.ts'
import { PartCard, type PartProps } from './part.tsx'
import { withPart } from './raw.ts'

/** The environments that servers of a template may run in, and the one that they run in unless somebody chooses. */
export function EnvironmentsCard({ raw, onChange }: PartProps) {
  const t = useT()
  const [edited, setEdited] = useState<number>()
  const environments = environmentsIn(raw)
  const free = freeTypes(environments)
  const own = environmentIn(raw)
  const put = (next: readonly RawEnvironment[]) => {
    onChange(withEnvironments(raw, next))
    setEdited(undefined)
  }
  return (
    <PartCard section="environments">
      {environments.length === 0 && (
        <p className={`${classes.quiet} ${classes.wide}`}>{t('definition.NoEnvironments')}</p>
      )}
      {environments.length > 0 && (
        <ul className={`${classes.environments} ${classes.wide}`}>
          {environments.map((environment, index) => (
            <li key={environment.type}>
              <b>{environmentName(t, environment.type)}</b>
              <span className={classes.value} dir="ltr">
                {kindOf(environment) === 'docker' && (dockerFieldsOf(environment).image || dockerDefaults.image)}
              </span>
              <ActionIcon
                aria-label={t('definition.Edit', { name: environmentName(t, environment.type) })}
                onClick={() => setEdited(index)}
              >
                <IconPencil size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                aria-label={t('definition.Remove', { name: environmentName(t, environment.type) })}
                onClick={() => put(environments.toSpliced(index, 1))}
              >
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      {free.length > 0 && (
        <div className={classes.wide}>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setEdited(environments.length)}
          >
            {t('definition.AddEnvironment')}
          </Button>
        </div>
      )}
      {environments.length > 0 && (
        <Select
          label={t('definition.DefaultEnvironment')}
          placeholder={t('definition.NoDefault')}
          data={environments.map((environment) => ({
            value: kindOf(environment),
            label: environmentName(t, environment.type),
          }))}
          value={own ? kindOf(own) : null}
          clearable
          clearButtonProps={{ 'aria-label': t('definition.ClearDefault') }}
          onChange={(kind) =>
            onChange(kind === null ? withPart(raw, ['environment'], undefined) : withDefault(raw, kind))
          }
        />
      )}
      {edited !== undefined && (
        <EnvironmentDialog
          environment={environments[edited]}
          types={free}
          onClose={() => setEdited(undefined)}
          onDone={(environment) =>
            put(environments[edited] ? environments.with(edited, environment) : [...environments, environment])
          }
        />
      )}
    </PartCard>
  )
}

interface OwnEnvironmentCardProps extends PartProps {
  readonly onRight: (isRight: boolean) => void
}

/** The environment that a server runs in. */
export function OwnEnvironmentCard({ raw, onChange, onRight }: OwnEnvironmentCardProps) {
  const t = useT()
  const environment = environmentIn(raw) ?? { type: 'standard' }
  const known: readonly string[] = environmentTypes
  const types = known.includes(environment.type) ? known : [...known, environment.type]
  return (
    <PartCard section="environments" title={t('definition.Environment')}>
      <Select
        label={t('definition.EnvironmentType')}
        data={types.map((type) => ({ value: type, label: environmentName(t, type) }))}
        value={environment.type}
        allowDeselect={false}
        onChange={(type) => {
          onRight(true)
          onChange(withPart(raw, ['environment'], retyped(raw, type ?? 'standard')))
        }}
      />
      <div className={classes.wide}>
        <EnvironmentFields
          key={environment.type}
          environment={environment}
          onChange={(next, isRight) => {
            onRight(isRight)
            onChange(withPart(raw, ['environment'], next))
          }}
        />
      </div>
    </PartCard>
  )
}
