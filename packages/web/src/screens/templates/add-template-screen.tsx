import { getSlug } from '@innkeeper/contract/templates/template-conversion'
import { listTemplates } from '@innkeeper/contract/templates/templates'
import { TemplateName } from '@innkeeper/contract/text/names'
import { Paper, Select, Stack, TextInput } from '@mantine/core'
import { useNavigate, useSearchParams } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { type JsonObject, setIn } from '../../features/definition-editor/json-path.ts'
import { CreateBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { NoPermission } from '../../ui/feedback/no-permission.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { readTemplate, useWriteTemplate } from './use-template.ts'

const emptyTemplate: JsonObject = {
  type: 'generic',
  display: '',
  data: {},
  install: [],
  run: { command: '', stop: '', pre: [], post: [], environmentVars: {} },
  environment: { type: 'standard' },
  supportedEnvironments: [{ type: 'standard' }],
}

/** Creates an empty template or a copy of another one, and opens it in the editor. */
export function AddTemplateScreen() {
  const t = useT()
  const canEdit = useCan('templates.edit')
  return (
    <Page type="form">
      <PageHeader title={t('templates.New')} />
      {canEdit ? <AddTemplate /> : <NoPermission scope="templates.edit" />}
    </Page>
  )
}

interface NewTemplate {
  readonly display: string
  /** The ID. It follows the display name until the user edits it. */
  readonly name: string
  /** The ID of the template to copy, or empty. */
  readonly source: string
}

function AddTemplate() {
  const t = useT()
  const navigate = useNavigate()
  const from = useSearchParams()[0].get('from') ?? ''
  const templates = useApiQuery(listTemplates, {})
  const write = useWriteTemplate()
  const labels = { display: t('common.DisplayName'), name: t('templates.Name'), source: t('templates.From') }
  const form = useSaveForm<NewTemplate, string, string>({
    id: 'add-template',
    allowUnchanged: true,
    saved: { values: { display: '', name: '', source: from } },
    getLabel: (field) => labels[field],
    fieldByCode: { ErrDuplicateTemplateName: 'name' },
    validate: ({ name }) => (TemplateName.safeParse(name).success ? {} : { name: t('templates.NameRule') }),
    send: async ({ values: { display, name, source } }) => {
      const start = source === '' ? emptyTemplate : (await readTemplate(source)).raw
      const raw = setIn({ ...start, name }, ['display'], display.trim() || name)
      await write.mutateAsync({ name, raw, precondition: 'new' })
      return name
    },
    onSaved: (name) => navigate(`/template/${encodeURIComponent(name)}`),
  })
  const { display, name } = form.values
  const changeDisplay = (next: string) => {
    const isFollowing = name === getSlug(display)
    form.set({ display: next, ...(isFollowing ? { name: getSlug(next) } : {}) })
  }
  return (
    <Paper>
      <SaveForm form={form} isInCard aria-label={t('templates.New')}>
        <Stack gap="md" p="md" maw="32rem">
          <TextInput
            autoFocus
            label={labels.display}
            {...form.field('display')}
            onChange={(event) => changeDisplay(event.currentTarget.value)}
          />
          <TextInput
            label={labels.name}
            description={t('templates.NameHelp')}
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
              ...(templates.data ?? []).map((template) => ({
                value: template.name,
                label: template.display ?? template.name,
              })),
            ]}
            searchable
            {...form.field('source')}
            onChange={(value) => form.set({ source: value ?? '' })}
          />
        </Stack>
        <CreateBar action={t('templates.Create')} isSaving={form.isSaving} canSave={name !== ''} cancelTo="/template" />
      </SaveForm>
    </Paper>
  )
}
