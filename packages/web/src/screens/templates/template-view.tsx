import { environmentsOf, Template } from '@innkeeper/contract/definition'
import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { formatJson, getText, type JsonObject } from '../../features/definition-editor/json-path.ts'
import { useT } from '../../i18n/i18n.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { Readme } from '../../ui/readme.tsx'

/** A template for users who may not change it: its readme and its JSON. */
export function TemplateView({ name, raw }: { name: string; raw: JsonObject }) {
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
          {(template.success ? environmentsOf(template.data) : []).map(({ type }) => (
            <Badge key={type} radius="sm">
              {environmentName(t, type)}
            </Badge>
          ))}
        </Group>
        {readme === '' ? <Text c="dimmed">{t('templates.NoReadme')}</Text> : <Readme markdown={readme} headings="h2" />}
      </Stack>
      <Stack component={Paper} gap="sm" p="md">
        <Group justify="space-between">
          <Title order={2}>{t('templates.Definition')}</Title>
          <CopyButton value={json} label={t('templates.CopyJson')} />
        </Group>
        <CodeBlock mah="32rem">{json}</CodeBlock>
      </Stack>
    </>
  )
}
