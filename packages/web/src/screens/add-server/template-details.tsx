import type { Template } from '@innkeeper/contract/definitions/definition'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { Badge, Divider, Group, List, Text, Title } from '@mantine/core'
import { IconCheck, IconCloudDownload, IconInfoCircle, IconX } from '@tabler/icons-react'
import { useApiQuery } from '../../api/use-api.ts'
import type { Formatters } from '../../i18n/formatters.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Readme } from '../../ui/loading/readme.tsx'
import { categoryName } from '../../ui/names/category-name.ts'
import { environmentName } from '../../ui/names/environment-name.ts'
import { TemplateIcon } from '../../ui/names/template-icon.tsx'
import { variableLabel } from '../../ui/names/variable-label.ts'
import { getEditableVariables, type ServerDraft } from './draft.ts'
import { checkRequirements, getDownloadedPrograms, type Requirement } from './requirements.ts'
import { useMissingPrograms } from './use-missing-programs.ts'

/** Requirements, variables and readme of a template. */
export function TemplateDetails({ template, draft }: { template: Template; draft: ServerDraft }) {
  const t = useT()
  const name = template.display || (template.name ?? '')
  const variables = getEditableVariables(template)
  const readme = removeTitle(template.readme ?? '')

  return (
    <>
      <Group gap="sm" wrap="nowrap">
        <TemplateIcon name={template.name ?? ''} display={name} type={template.type} />
        <div>
          <Title order={2}>{name}</Title>
          <Text variant="note">{categoryName(t, template.type)}</Text>
        </div>
      </Group>
      <Divider />
      <Requirements template={template} draft={draft} />
      {variables.length > 0 && (
        <>
          <Divider />
          <section>
            <Title order={3}>{t('add-server.YouWillSet')}</Title>
            <Group gap="xs" mt="xs">
              {variables.map(({ name: variableName, variable }) => (
                <Badge key={variableName} radius="sm">
                  {variableLabel(t, variableName, variable)}
                </Badge>
              ))}
            </Group>
          </section>
        </>
      )}
      {readme !== '' && (
        <>
          <Divider />
          <details key={template.name}>
            <Text component="summary" fw={600}>
              {t('common.Readme')}
            </Text>
            <Readme markdown={readme} />
          </details>
        </>
      )}
    </>
  )
}

function Requirements({ template, draft }: { template: Template; draft: ServerDraft }) {
  const t = useT()
  const { list, anyOf } = useFormatters()
  const nodes = useApiQuery(listNodeChoices, {}, { staleTime: 60_000 })
  const missingPrograms = useMissingPrograms(template)
  const requirements = checkRequirements(template, draft, nodes.data ?? [], missingPrograms)
  return (
    <section>
      <Title order={3}>{t('add-server.Requirements')}</Title>
      <List ps={0} mt="xs" spacing="xs" fz="compact">
        {requirements.map((requirement) => {
          const { type, alternatives, status, nodes: names } = requirement
          return (
            <List.Item key={`${type} ${alternatives.join()}`} icon={statusIcons[status]}>
              {describe(t, { list, anyOf }, requirement)}
              {names.length > 0 && (
                <Text inherit c={status === 'unmet' ? 'var(--ik-warning)' : 'dimmed'}>
                  {t(status === 'unmet' ? 'add-server.NotAvailableOn' : 'add-server.AvailableOn', {
                    nodes: list(names),
                  })}
                </Text>
              )}
              {type === 'binary' && status === 'unknown' && (
                <Text inherit c="dimmed">
                  {t('add-server.CheckedLater')}
                </Text>
              )}
            </List.Item>
          )
        })}
        {getDownloadedPrograms(template).map((program) => (
          <List.Item key={program} icon={<IconCloudDownload size={16} color="var(--ik-dim)" aria-hidden />}>
            {t('add-server.Downloads', { program })}
          </List.Item>
        ))}
      </List>
    </section>
  )
}

const statusIcons = {
  met: <IconCheck size={16} color="var(--ik-online)" aria-hidden />,
  unmet: <IconX size={16} color="var(--ik-warning)" aria-hidden />,
  unknown: <IconInfoCircle size={16} color="var(--ik-dim)" aria-hidden />,
}

function describe(
  t: TFunction,
  { list, anyOf }: Pick<Formatters, 'list' | 'anyOf'>,
  { type, alternatives }: Requirement,
): string {
  if (type === 'environments') {
    return t('add-server.Environments', { list: list(alternatives.map((type) => environmentName(t, type))) })
  }
  const text = anyOf(alternatives.map((platform) => platformNames[platform] ?? platform))
  if (type === 'os') return t('add-server.NeedsOs', { list: text })
  return type === 'arch' ? t('add-server.NeedsArch', { list: text }) : t('add-server.NeedsBinary', { list: text })
}

/** Names of the values of `requirements.os` and `requirements.arch` that differ from the name that users know. */
const platformNames: Readonly<Record<string, string>> = {
  linux: 'Linux',
  windows: 'Windows',
  darwin: 'macOS',
  amd64: 'x86-64',
}

/** Removes the first heading of a readme: the name of the template is above it. */
function removeTitle(readme: string): string {
  const text = readme.trimStart()
  if (!text.startsWith('# ')) return text
  const end = text.indexOf('\n')
  return end === -1 ? '' : text.slice(end + 1).trim()
}
