import { TemplateName } from '@innkeeper/contract/names'
import { slugOf } from '@innkeeper/contract/template-conversion'
import { listTemplates } from '@innkeeper/contract/templates'
import { Button, Paper, Select, TextInput } from '@mantine/core'
import { useNavigate, useSearchParams } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { type Raw, withPart } from '../../features/definition-editor/raw.ts'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { NoPermission } from '../../ui/no-permission.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
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
  const t = useT()
  const mayEdit = useCan('templates.edit')
  return (
    <Page type="form">
      <PageHeader title={t('templates.AddTitle')} />
      {mayEdit ? <AddTemplate /> : <NoPermission />}
    </Page>
  )
}

interface NewTemplate {
  readonly display: string
  /** Its id; follows the display name until somebody has another one in mind. */
  readonly name: string
  /** The id of the template that it is a copy of, or empty. */
  readonly source: string
}

function AddTemplate() {
  const t = useT()
  const goTo = useNavigate()
  const from = useSearchParams()[0].get('from') ?? ''
  const templates = useApiQuery(listTemplates, {})
  const write = useWriteTemplate()
  const labels = { display: t('templates.Display'), name: t('templates.Name'), source: t('templates.From') }
  const form = useSaveForm<NewTemplate, string, string>({
    id: 'add-template',
    isNew: true,
    saved: { values: { display: '', name: '', source: from } },
    labelOf: (field) => labels[field],
    byCode: { ErrDuplicateTemplateName: 'name' },
    validate: ({ name }) => (TemplateName.safeParse(name).success ? {} : { name: t('templates.NameRule') }),
    send: async ({ values: { display, name, source } }) => {
      const begun = source === '' ? blank : (await readTemplate(source)).raw
      await write(name, withPart({ ...begun, name }, ['display'], display.trim() || name), 'new')
      return name
    },
    onSaved: (name) => goTo(`/template/${encodeURIComponent(name)}`),
  })
  const { display, name } = form.values
  const changeDisplay = (next: string) => {
    const isFollowing = name === slugOf(display)
    form.set({ display: next, ...(isFollowing ? { name: slugOf(next) } : {}) })
  }
  return (
    <Paper className={classes.part ?? ''}>
      <SaveForm form={form} className={classes.form} aria-label={t('templates.AddTitle')}>
        <TextInput
          autoFocus
          label={labels.display}
          {...form.field('display')}
          onChange={(event) => changeDisplay(event.currentTarget.value)}
        />
        <TextInput
          label={labels.name}
          description={t('templates.NameHow')}
          withAsterisk
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          maxLength={100}
          {...form.field('name')}
        />
        <Select
          label={labels.source}
          data={[
            { value: '', label: t('templates.FromNothing') },
            ...(templates.data ?? []).map((one) => ({ value: one.name, label: one.display ?? one.name })),
          ]}
          searchable
          allowDeselect={false}
          {...form.field('source')}
          onChange={(value) => form.set({ source: value ?? '' })}
        />
        <Button type="submit" loading={form.isSaving} disabled={name === ''}>
          {t('templates.Create')}
        </Button>
      </SaveForm>
    </Paper>
  )
}
