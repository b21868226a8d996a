import type { Template } from '@innkeeper/contract/definition'
import { listNodeChoices } from '@innkeeper/contract/nodes'
import { booleanOf, textOf, typeOf, type Variable, type VariableValue } from '@innkeeper/contract/variables'
import { Button, Paper, TextInput } from '@mantine/core'
import { useApiQuery } from '../../api/use-api-query.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { limitRows } from '../../ui/limits-fields.tsx'
import classes from './add-server-screen.module.css'
import { type Draft, type Field, limitsIn, type Step, valueNow } from './draft.ts'

interface ReviewStepProps {
  readonly draft: Draft
  readonly template: Template
  /** The variables that the form shows. */
  readonly fields: readonly Field[]
  readonly edit: (changed: (before: Draft) => Draft) => void
  readonly problemAt: (field: string) => string | undefined
  readonly onGo: (step: Step) => void
}

/** Everything once more, and who may use it. */
export function ReviewStep({ draft, template, fields, edit, problemAt, onGo }: ReviewStepProps) {
  const t = useT()
  const nodes = useApiQuery(listNodeChoices, {}, { staleTime: 60_000 })
  const parts: readonly (readonly [Step, string, readonly (readonly [string, string])[]])[] = [
    [
      'template',
      t('add-server.Step_template'),
      [[t('add-server.Template'), template.display || (template.name ?? '')]],
    ],
    [
      'place',
      t('add-server.Step_place'),
      [
        [t('add-server.Node'), nodes.data?.find(({ id }) => id === draft.node)?.name ?? ''],
        [t('add-server.Environment'), environmentName(t, draft.environment ?? '')],
      ],
    ],
    [
      'settings',
      t('add-server.Step_settings'),
      [
        [t('add-server.Name'), draft.name.trim()],
        ...fields.map(({ name, variable }) => {
          const value = valueNow(draft, name, variable)
          return [variable.display || name, shownValue(t, variable, value)] as const
        }),
        ...limitRows(t, limitsIn(draft, template)),
      ],
    ],
  ]
  return (
    <>
      {parts.map(([step, title, rows]) => (
        <Paper key={step} className={classes.reviewed ?? ''}>
          <div className={classes.reviewHead}>
            <h2>{title}</h2>
            <Button
              variant="subtle"
              color="gray"
              size="xs"
              aria-label={t('add-server.ChangePart', { part: title })}
              onClick={() => onGo(step)}
            >
              {t('add-server.Change')}
            </Button>
          </div>
          <dl>
            {rows.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </Paper>
      ))}
      <Paper className={classes.fields ?? ''}>
        <TextInput
          label={t('add-server.Users')}
          description={t('add-server.UsersHow')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={draft.users}
          error={problemAt('users')}
          onChange={(event) => {
            const users = event.currentTarget.value
            edit((before) => ({ ...before, users }))
          }}
        />
      </Paper>
    </>
  )
}

/** A value as people read it: the name of an option, yes or no, a dash for nothing. */
function shownValue(t: TFunction, variable: Variable, value: VariableValue | undefined): string {
  if (typeOf(variable) === 'boolean') return t(booleanOf(value) ? 'add-server.Yes' : 'add-server.No')
  const option = (variable.options ?? []).find((choice) => textOf(choice.value) === textOf(value))
  return option?.display || textOf(value) || '—'
}
