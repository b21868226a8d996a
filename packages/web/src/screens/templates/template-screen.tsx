import { getEnvironments, Template } from '@innkeeper/contract/definitions/definition'
import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Suspense } from 'react'
import { useParams } from 'react-router'
import { formatJson, getText, type JsonObject } from '../../features/definition-editor/json-path.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { ReadOnlyBadge } from '../../ui/feedback/read-only-badge.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { Readme } from '../../ui/loading/readme.tsx'
import { categoryName } from '../../ui/names/category-name.ts'
import { environmentName } from '../../ui/names/environment-name.ts'
import { scopeNames } from '../../ui/names/scope-name.ts'
import { CodeBlock } from '../../ui/text/code-block.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { TemplateMenu } from './template-menu.tsx'
import { useTemplate } from './use-template.ts'

const TemplateEditor = lazyView(async () => (await import('./template-editor.tsx')).TemplateEditor)

/** One template: the editor for users who may change it, a read-only view for others. */
export function TemplateScreen() {
  const { name = '' } = useParams()
  // The key resets the editor when the user goes to another template.
  return <TemplatePage key={name} name={name} />
}

function TemplatePage({ name }: { name: string }) {
  const t = useT()
  const canEdit = useCan('templates.edit')
  const template = useTemplate(name)
  const raw = template.data?.raw
  const title = raw ? getText(raw, ['display']) || name : name
  if (template.data && canEdit) {
    return (
      <Page>
        <Suspense fallback={<PageHeader title={title} />}>
          <TemplateEditor name={name} initial={template.data} />
        </Suspense>
      </Page>
    )
  }
  return (
    <Page type="form">
      <PageHeader
        title={title}
        actions={
          raw && (
            <>
              <ReadOnlyBadge permission={t('shell.NoPermissionFor', { permission: t(scopeNames['templates.edit']) })} />
              <TemplateMenu name={name} title={title} raw={raw} canEdit={false} />
            </>
          )
        }
      />
      <QueryState query={template} errorTitle={t('templates.OneLoadFailed')} skeletonHeight={320}>
        {(loaded) => <TemplateView name={name} raw={loaded.raw} />}
      </QueryState>
    </Page>
  )
}

/** A template for users who may not change it: its readme and its JSON. */
function TemplateView({ name, raw }: { name: string; raw: JsonObject }) {
  const t = useT()
  const json = formatJson(raw)
  const readme = getText(raw, ['readme'])
  const template = Template.safeParse(raw)
  return (
    <>
      <Stack component={Paper} gap="sm" p="md">
        <Group gap="xs" fz="compact" c="dimmed">
          <CodeText>{name}</CodeText>
          <span>{categoryName(t, getText(raw, ['type']))}</span>
          {(template.success ? getEnvironments(template.data) : []).map(({ type }) => (
            <Badge key={type} radius="sm">
              {environmentName(t, type)}
            </Badge>
          ))}
        </Group>
        {readme === '' ? <Text c="dimmed">{t('templates.NoReadme')}</Text> : <Readme markdown={readme} headings="h2" />}
      </Stack>
      <Stack component={Paper} gap="sm" p="md">
        <Group justify="space-between">
          <Title order={2}>{t('server.AdminDefinition')}</Title>
          <CopyButton value={json} label={t('templates.CopyJson')} />
        </Group>
        <CodeBlock mah="32rem">{json}</CodeBlock>
      </Stack>
    </>
  )
}
