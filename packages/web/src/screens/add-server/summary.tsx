import type { Template } from '@innkeeper/contract/definitions/definition'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { DataList, Paper, Text, Title } from '@mantine/core'
import { useId } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { categoryName } from '../../ui/names/category-name.ts'
import { environmentName } from '../../ui/names/environment-name.ts'
import classes from './add-server.module.css'
import type { ServerDraft } from './draft.ts'

/** The selections so far, beside the steps. */
export function Summary({ draft, template }: { draft: ServerDraft; template: Template | undefined }) {
  const t = useT()
  const { list } = useFormatters()
  const titleId = useId()
  const nodes = useApiQuery(listNodeChoices, {}, { staleTime: 60_000 })
  const { users } = draft
  const rows = [
    [t('add-server.Step_template'), template?.display || draft.template, template && categoryName(t, template.type)],
    [t('common.Node'), nodes.data?.find(({ id }) => id === draft.node)?.name],
    [t('common.Environment'), draft.environment && environmentName(t, draft.environment)],
    [t('common.Name'), draft.name],
    [t('add-server.Users'), users.length === 0 ? t('add-server.OnlyYou') : list(users), undefined, users.length === 0],
  ] as const
  return (
    <Paper
      component="aside"
      w="18.75rem"
      flex="none"
      p="md"
      pos="sticky"
      top="1.25rem"
      visibleFrom="md"
      aria-labelledby={titleId}
    >
      <Title order={2} id={titleId} size="h3">
        {t('add-server.Summary')}
      </Title>
      <DataList mt="sm" withDivider labelWidth="5.75rem" className={classes.facts}>
        {rows.map(([label, value, detail, isDefault]) => (
          <DataList.Item key={label}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue>
              <Text inherit {...(value && !isDefault ? { fw: 600 } : { c: 'dimmed' })}>
                {value || t('add-server.NotSet')}
              </Text>
              {value && detail && (
                <Text inherit c="dimmed">
                  {detail}
                </Text>
              )}
            </DataList.ItemValue>
          </DataList.Item>
        ))}
      </DataList>
      <Text variant="caption" mt="sm">
        {t('add-server.NothingYet')}
      </Text>
    </Paper>
  )
}
