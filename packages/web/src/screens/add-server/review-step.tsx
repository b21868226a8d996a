import type { Template } from '@innkeeper/contract/definition'
import { listNodeChoices } from '@innkeeper/contract/nodes'
import { booleanOf, textOf, typeOf, type Variable, type VariableValue } from '@innkeeper/contract/variables'
import { Button, TextInput } from '@mantine/core'
import { useCall } from '../../api/use-call.ts'
import { type Text, useText } from '../../i18n/text.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { limitRows } from '../../ui/limits-fields.tsx'
import { Card } from '../../ui/small.tsx'
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
  const text = useText()
  const nodes = useCall(listNodeChoices, {}, { staleTime: 60_000 })
  const parts: readonly (readonly [Step, string, readonly (readonly [string, string])[]])[] = [
    [
      'template',
      text('add-server.Step_template'),
      [[text('add-server.Template'), template.display || (template.name ?? '')]],
    ],
    [
      'place',
      text('add-server.Step_place'),
      [
        [text('add-server.Node'), nodes.data?.find(({ id }) => id === draft.node)?.name ?? ''],
        [text('add-server.Environment'), environmentName(text, draft.environment ?? '')],
      ],
    ],
    [
      'settings',
      text('add-server.Step_settings'),
      [
        [text('add-server.Name'), draft.name.trim()],
        ...fields.map(({ name, variable }) => {
          const value = valueNow(draft, name, variable)
          return [variable.display || name, shownValue(text, variable, value)] as const
        }),
        ...limitRows(text, limitsIn(draft, template)),
      ],
    ],
  ]
  return (
    <>
      {parts.map(([step, title, rows]) => (
        <Card key={step} className={classes.reviewed ?? ''}>
          <div className={classes.reviewHead}>
            <h2>{title}</h2>
            <Button
              variant="subtle"
              color="gray"
              size="xs"
              aria-label={text('add-server.ChangePart', { part: title })}
              onClick={() => onGo(step)}
            >
              {text('add-server.Change')}
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
        </Card>
      ))}
      <Card className={classes.fields ?? ''}>
        <TextInput
          label={text('add-server.Users')}
          description={text('add-server.UsersHow')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
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
      </Card>
    </>
  )
}

/** A value as people read it: the name of an option, yes or no, a dash for nothing. */
function shownValue(text: Text, variable: Variable, value: VariableValue | undefined): string {
  if (typeOf(variable) === 'boolean') return text(booleanOf(value) ? 'add-server.Yes' : 'add-server.No')
  const option = (variable.options ?? []).find((choice) => textOf(choice.value) === textOf(value))
  return option?.display || textOf(value) || '—'
}
