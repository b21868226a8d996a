import { listServers } from '@innkeeper/contract/servers/servers'
import type { CatalogEntry } from '@innkeeper/contract/templates/catalog'
import type { TemplateSummary } from '@innkeeper/contract/templates/templates'
import { Badge, Button, Flex, Group, Menu, Table, Text } from '@mantine/core'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CardTable } from '../../ui/lists/card-table.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { environmentName } from '../../ui/names/environment-name.ts'
import { familyName, getTemplateFamily, templateFamilies } from '../../ui/names/template-family.ts'
import { TemplateIcon } from '../../ui/names/template-icon.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import { CompareButton } from './compare-button.tsx'

/** A template with its entry in the catalog, if it has one and the user may see it. */
export interface ListedTemplate extends TemplateSummary {
  readonly official: CatalogEntry | undefined
}

interface TemplateListProps {
  readonly templates: readonly ListedTemplate[]
  /** Whether the catalog is known: without it the list does not say where templates come from. */
  readonly showsSource: boolean
  readonly onCompare: (entry: CatalogEntry) => void
}

function groupByFamily(templates: readonly ListedTemplate[]) {
  const byFamily = Map.groupBy(templates, ({ type }) => getTemplateFamily(type))
  return templateFamilies.flatMap((family) => {
    const entries = byFamily.get(family)
    return entries ? [{ family, entries }] : []
  })
}

const nowrap = { whiteSpace: 'nowrap' } as const

/** The templates, grouped by family. */
export function TemplateList({ templates, showsSource, onCompare }: TemplateListProps) {
  const t = useT()
  const columns = [t('common.Name'), t('templates.UsedBy'), ...(showsSource ? [t('templates.Source')] : [])]
  return (
    <CardTable horizontalSpacing="md" verticalSpacing="sm" highlightOnHover>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column} style={nowrap}>
              {column}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      {groupByFamily(templates).map(({ family, entries }) => (
        <Table.Tbody key={family}>
          <Table.Tr bg="var(--ik-body)">
            <Table.Th colSpan={columns.length} scope="rowgroup" fz="xs" c="dimmed" fw={500}>
              {familyName(t, family)}
            </Table.Th>
          </Table.Tr>
          {entries.map((template) => (
            <Table.Tr key={template.name}>
              <Table.Td flex="1 1 16rem">
                <Group gap="sm" wrap="nowrap">
                  <TemplateIcon name={template.name} display={template.display} type={template.type} size={28} />
                  <Flex wrap="wrap" align="baseline" columnGap="xs" style={{ overflowWrap: 'anywhere' }}>
                    <NameLink template={template} />
                    <OnlyEnvironments template={template} />
                  </Flex>
                </Group>
              </Table.Td>
              <Table.Td style={nowrap}>
                <UsedBy template={template} />
              </Table.Td>
              {showsSource && (
                <Table.Td c="dimmed" style={nowrap}>
                  <Source template={template} onCompare={onCompare} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      ))}
    </CardTable>
  )
}

function NameLink({ template: { name, display = name } }: { template: ListedTemplate }) {
  return (
    <>
      <Text component={Link} to={`/template/${encodeURIComponent(name)}`} fw={500} c="var(--ik-text)">
        {display}
      </Text>
      {display !== name && (
        <Text span c="dimmed">
          <CodeText>{name}</CodeText>
        </Text>
      )}
    </>
  )
}

/** The environments of a template that cannot run as a plain process. */
function OnlyEnvironments({ template: { supportedEnvironments } }: { template: ListedTemplate }) {
  const t = useT()
  if (supportedEnvironments.some(({ type }) => type === 'standard')) return null
  return supportedEnvironments.map(({ type }) => (
    <Badge key={type} radius="sm">
      {environmentName(t, type)}
    </Badge>
  ))
}

/** Where a template comes from, and whether the installed version differs from the official one. */
function Source({ template, onCompare }: { template: ListedTemplate } & Pick<TemplateListProps, 'onCompare'>) {
  const t = useT()
  const { official } = template
  if (!official) return t('templates.FromHere')
  return (
    <Group component="span" gap="xs">
      {t(official.source === 'index' ? 'templates.FromIndex' : 'templates.FromProduct')}
      <CompareButton entry={official} onClick={() => onCompare(official)} />
    </Group>
  )
}

/** How many servers the menu lists. */
const maxServers = 50

/** How many servers were made from a template, with a menu of them. */
function UsedBy({ template: { name, servers } }: { template: TemplateSummary }) {
  const t = useT()
  if (servers === 0) {
    return (
      <Text span inherit c="dimmed">
        {t('templates.Unused')}
      </Text>
    )
  }
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="compact-sm" variant="subtle" ms="-xs" flex="none" styles={{ label: { whiteSpace: 'nowrap' } }}>
          {t('templates.UsedByCount', { count: servers })}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="min(24rem, 70dvh)" style={{ overflowY: 'auto' }}>
        <ServerLinks template={name} />
      </Menu.Dropdown>
    </Menu>
  )
}

function ServerLinks({ template }: { template: string }) {
  const t = useT()
  const query = useApiQuery(
    listServers,
    { query: { template, limit: maxServers } },
    // A menu has no place for a warning that its items are out of date.
    { gcTime: 0, refetchOnWindowFocus: false, refetchOnReconnect: false },
  )
  return (
    <QueryState
      query={query}
      errorTitle={t('common.ServersNotLoaded')}
      renderError={() => <Menu.Label>{t('common.ServersNotLoaded')}</Menu.Label>}
      skeletonHeight={36}
    >
      {({ servers, paging: { total } }) => (
        <>
          {servers.map(({ id, name }) => (
            <Menu.Item key={id} component={Link} to={`/server/${id}`}>
              <bdi>{name}</bdi>
            </Menu.Item>
          ))}
          {total > servers.length && <Menu.Label>{t('common.AndMore', { count: total - servers.length })}</Menu.Label>}
        </>
      )}
    </QueryState>
  )
}
