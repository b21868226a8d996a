import { TemplateName } from '@innkeeper/contract/names'
import { slugOf } from '@innkeeper/contract/template-conversion'
import { listTemplates } from '@innkeeper/contract/templates'
import { Button, Select, TextInput } from '@mantine/core'
import { type FormEvent, use, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useCall } from '../../api/use-call.ts'
import { TellRefusalContext } from '../../api/use-send.ts'
import { type Raw, withPart } from '../../features/definition-editor/raw.ts'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { NoPermission } from '../../ui/no-permission.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { messageOf } from '../../ui/refusal.tsx'
import { Card } from '../../ui/small.tsx'
import classes from './template-screen.module.css'
import { readTemplate, useWriteTemplate } from './use-template.ts'

const blank: Raw = {
  type: 'generic',
  display: '',
  data: {},
  install: [],
  run: { command: '', stop: '', pre: [], post: [], environmentVars: {} },
  environment: { type: 'standard' },
  supportedEnvironments: [{ type: 'standard' }],
}

/** Begins a template: from nothing, or as a copy of another. The editor does the rest. */
export function AddTemplateScreen() {
  const text = useText()
  const mayEdit = useMay('templates.edit')
  return (
    <Page kind="form">
      <PageHead title={text('templates.AddTitle')} />
      {mayEdit ? <AddTemplate /> : <NoPermission />}
    </Page>
  )
}

function AddTemplate() {
  const text = useText()
  const goTo = useNavigate()
  const tell = use(TellRefusalContext)
  const [{ from = '' }] = [Object.fromEntries(useSearchParams()[0])]
  const templates = useCall(listTemplates, {})
  const write = useWriteTemplate()
  const [source, setSource] = useState(from)
  const [display, setDisplay] = useState('')
  const [typedName, setName] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [isSaving, setIsSaving] = useState(false)
  // Until somebody has one of their own in mind.
  const name = typedName ?? slugOf(display)

  const create = async (event: FormEvent) => {
    event.preventDefault()
    if (isSaving) return
    if (!TemplateName.safeParse(name).success) return setProblem(text('templates.NameRule'))
    setIsSaving(true)
    try {
      const begun = source === '' ? blank : (await readTemplate(source)).raw
      const named = withPart({ ...begun, name }, ['display'], display.trim() || name)
      await write(name, named, 'new')
      await goTo(`/template/${encodeURIComponent(name)}`)
    } catch (refusal) {
      if (isRefusal(refusal, 'ErrDuplicateTemplateName')) setProblem(messageOf(text, refusal))
      else tell(refusal)
    } finally {
      setIsSaving(false)
    }
  }
  return (
    <Card className={classes.part ?? ''}>
      <form className={classes.form} noValidate onSubmit={(event) => void create(event)}>
        <TextInput
          autoFocus
          label={text('templates.Display')}
          value={display}
          onChange={(event) => {
            setDisplay(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
        <TextInput
          label={text('templates.Name')}
          description={text('templates.NameHow')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          withAsterisk
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          maxLength={100}
          value={name}
          error={problem}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
        <Select
          label={text('templates.From')}
          data={[
            { value: '', label: text('templates.FromNothing') },
            ...(templates.data ?? []).map((one) => ({ value: one.name, label: one.display ?? one.name })),
          ]}
          value={source}
          searchable
          allowDeselect={false}
          onChange={(value) => setSource(value ?? '')}
        />
        <Button type="submit" loading={isSaving} disabled={name === ''}>
          {text('templates.Create')}
        </Button>
      </form>
    </Card>
  )
}
