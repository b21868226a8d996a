import { environmentTypes } from '@innkeeper/contract/definition'
import { dockerDefaults, dockerFieldsOf } from '@innkeeper/contract/docker'
import { ActionIcon, Button, Select } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useText } from '../../i18n/text.tsx'
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
  const text = useText()
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
        <p className={`${classes.quiet} ${classes.wide}`}>{text('definition.NoEnvironments')}</p>
      )}
      {environments.length > 0 && (
        <ul className={`${classes.environments} ${classes.wide}`}>
          {environments.map((environment, at) => (
            <li key={environment.type}>
              <b>{environmentName(text, environment.type)}</b>
              <span className={classes.value} dir="ltr">
                {kindOf(environment) === 'docker' && (dockerFieldsOf(environment).image || dockerDefaults.image)}
              </span>
              <ActionIcon
                aria-label={text('definition.Edit', { name: environmentName(text, environment.type) })}
                onClick={() => setEdited(at)}
              >
                <IconPencil size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                aria-label={text('definition.Remove', { name: environmentName(text, environment.type) })}
                onClick={() => put(environments.toSpliced(at, 1))}
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
            {text('definition.AddEnvironment')}
          </Button>
        </div>
      )}
      {environments.length > 0 && (
        <Select
          label={text('definition.DefaultEnvironment')}
          placeholder={text('definition.NoDefault')}
          data={environments.map((environment) => ({
            value: kindOf(environment),
            label: environmentName(text, environment.type),
          }))}
          value={own ? kindOf(own) : null}
          clearable
          clearButtonProps={{ 'aria-label': text('definition.ClearDefault') }}
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
  const text = useText()
  const environment = environmentIn(raw) ?? { type: 'standard' }
  const known: readonly string[] = environmentTypes
  const types = known.includes(environment.type) ? known : [...known, environment.type]
  return (
    <PartCard section="environments" title={text('definition.Environment')}>
      <Select
        label={text('definition.EnvironmentType')}
        data={types.map((type) => ({ value: type, label: environmentName(text, type) }))}
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
