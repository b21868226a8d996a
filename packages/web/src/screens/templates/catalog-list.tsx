import type { CatalogEntry, CatalogState } from '@innkeeper/contract/templates/catalog'
import { Badge, Box, Button, Group, Stack, Text } from '@mantine/core'
import { useId, useState } from 'react'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { Readme } from '../../ui/loading/readme.tsx'
import { categoryName } from '../../ui/names/category-name.ts'
import { CodeText } from '../../ui/text/code-text.tsx'
import { TemplateWarnings } from './catalog-problems.tsx'

interface CatalogListProps {
  readonly entries: readonly CatalogEntry[]
  /** Names of the templates that are being imported. */
  readonly importing: readonly string[]
  readonly onImport: (entry: CatalogEntry) => void
  readonly onCompare: (entry: CatalogEntry) => void
}

export function CatalogList({ entries, ...rest }: CatalogListProps) {
  return (
    <RowList>
      {entries.map((entry) => (
        <CatalogRow key={entry.name} entry={entry} {...rest} />
      ))}
    </RowList>
  )
}

const stateLabels: Readonly<Record<CatalogState, TranslationKey>> = {
  new: 'templates.StateNew',
  same: 'templates.StateSame',
  edited: 'templates.StateChanged',
  changed: 'templates.StateUpdate',
}

/** Widths that align the parts of the rows. */
const columns = {
  category: { lg: '11rem' },
  source: { lg: '9rem' },
  state: { lg: '13rem' },
  action: { lg: '6.5rem' },
} as const

function CatalogRow(props: Omit<CatalogListProps, 'entries'> & { readonly entry: CatalogEntry }) {
  const { entry, importing, onImport, onCompare } = props
  const t = useT()
  const readmeId = useId()
  const [isOpen, setIsOpen] = useState(false)
  const { name, display = name, type, state, source, readme, warnings } = entry
  return (
    <Group component="li" gap="md" style={{ rowGap: 'var(--mantine-spacing-2xs)' }} mih="3.25rem" px="md" py="xs">
      <Stack component="span" gap={0} flex="1 1 14rem" align="stretch" miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Text component="b" inherit fw={500}>
          {display}
        </Text>
        <CodeText c="dimmed">{name}</CodeText>
      </Stack>
      <Group
        component="span"
        gap="lg"
        style={{ rowGap: 'var(--mantine-spacing-2xs)' }}
        align="stretch"
        c="dimmed"
        fz="compact"
      >
        <Text span inherit miw={columns.category}>
          {categoryName(t, type)}
        </Text>
        <Text span inherit miw={columns.source}>
          {t(source === 'index' ? 'templates.FromIndex' : 'templates.FromProduct')}
        </Text>
      </Group>
      <Group gap="md" wrap="nowrap" justify="space-between" miw={columns.state}>
        <Badge>{t(stateLabels[state])}</Badge>
        {readme && (
          <Button
            size="xs"
            variant="subtle"
            aria-label={t('templates.ReadmeOf', { name: display })}
            aria-expanded={isOpen}
            aria-controls={readmeId}
            onClick={() => setIsOpen(!isOpen)}
          >
            {t('common.Readme')}
          </Button>
        )}
      </Group>
      <Group justify="flex-end" miw={columns.action}>
        {state === 'new' && (
          <Button
            size="xs"
            variant="default"
            aria-label={t('templates.ImportOne', { name: display })}
            loading={importing.includes(name)}
            onClick={() => onImport(entry)}
          >
            {t('templates.Import')}
          </Button>
        )}
        {(state === 'edited' || state === 'changed') && (
          <Button
            size="xs"
            variant="default"
            aria-label={t('templates.CompareOne', { name: display })}
            onClick={() => onCompare(entry)}
          >
            {t('templates.See')}
          </Button>
        )}
      </Group>
      {warnings.length > 0 && (
        <Box flex="1 0 100%" miw={0} py="xs">
          <TemplateWarnings warnings={warnings} />
        </Box>
      )}
      {readme && (
        <Box id={readmeId} flex="1 0 100%" miw={0} py="xs" hidden={!isOpen}>
          {isOpen && <Readme markdown={readme} headings="h2" />}
        </Box>
      )}
    </Group>
  )
}
