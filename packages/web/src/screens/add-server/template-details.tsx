import { environmentsOf, type Template } from '@innkeeper/contract/definition'
import { Badge, Divider, Group, List, Text, Title } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { environmentName } from '../../ui/environment-name.ts'
import { Readme } from '../../ui/readme.tsx'
import { getEditableVariables } from './draft.ts'
import { Initials } from './initials.tsx'

/** Readme, requirements and variables of a template. */
export function TemplateDetails({ template }: { template: Template }) {
  const t = useT()
  const { list } = useFormatters()
  const name = template.display || (template.name ?? '')
  const { os, arch, binaries } = template.requirements ?? {}
  const requirements = [
    os && t('add-server.NeedsOs', { list: formatAlternatives(os) }),
    arch && t('add-server.NeedsArch', { list: formatAlternatives(arch) }),
    binaries?.length && t('add-server.NeedsBinaries', { list: list(binaries.map(formatAlternatives)) }),
    t('add-server.Environments', { list: list(environmentsOf(template).map(({ type }) => environmentName(t, type))) }),
  ].filter((requirement) => typeof requirement === 'string')
  const variables = getEditableVariables(template)

  return (
    <>
      <Group gap="sm" wrap="nowrap">
        <Initials name={name} />
        <div>
          <Title order={2}>{name}</Title>
          <Text c="dimmed" fz={13}>
            {categoryName(t, template.type)}
          </Text>
        </div>
      </Group>
      {template.readme && <Readme markdown={template.readme} />}
      <Divider />
      <section>
        <Title order={3}>{t('add-server.Requirements')}</Title>
        <List
          mt={6}
          spacing="xs"
          fz={13}
          center={false}
          icon={<IconCheck size={16} color="var(--ik-online)" aria-hidden />}
        >
          {requirements.map((requirement) => (
            <List.Item key={requirement}>{requirement}</List.Item>
          ))}
        </List>
      </section>
      {variables.length > 0 && (
        <>
          <Divider />
          <section>
            <Title order={3}>{t('add-server.YouWillSet')}</Title>
            <Group gap={6} mt={6}>
              {variables.map(({ name: variable, variable: { display } }) => (
                <Badge key={variable} radius="sm">
                  {display || variable}
                </Badge>
              ))}
            </Group>
          </section>
        </>
      )}
    </>
  )
}

/** Formats a requirement such as `linux||darwin`. */
function formatAlternatives(alternatives: string): string {
  return alternatives
    .split('||')
    .map((part) => part.trim())
    .join(' / ')
}
