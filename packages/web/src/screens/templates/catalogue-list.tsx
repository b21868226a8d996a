import type { CatalogueEntry, CatalogueState } from '@innkeeper/contract/catalogue'
import { Badge, Button } from '@mantine/core'
import { useId, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { CodeText } from '../../ui/code-text.tsx'
import { Readme } from '../../ui/readme.tsx'
import records from '../../ui/records.module.css'
import { Warnings } from './catalogue-problems.tsx'
import classes from './import.module.css'

interface CatalogueListProps {
  readonly entries: readonly CatalogueEntry[]
  /** Those that are being imported. */
  readonly busy: readonly string[]
  readonly onImport: (entry: CatalogueEntry) => void
  readonly onCompare: (entry: CatalogueEntry) => void
}

export function CatalogueList({ entries, ...rest }: CatalogueListProps) {
  return (
    <ul className={records.list}>
      {entries.map((entry) => (
        <CatalogueRow key={entry.name} entry={entry} {...rest} />
      ))}
    </ul>
  )
}

const stateNames: Readonly<Record<CatalogueState, string>> = {
  new: 'templates.StateNew',
  same: 'templates.StateSame',
  changed: 'templates.StateChanged',
}

function CatalogueRow({
  entry,
  busy,
  onImport,
  onCompare,
}: Omit<CatalogueListProps, 'entries'> & { readonly entry: CatalogueEntry }) {
  const t = useT()
  const readmeId = useId()
  const [isOpen, setIsOpen] = useState(false)
  const { name, display = name, type, state, source, readme, warnings } = entry
  return (
    <li className={records.record}>
      <span className={records.main}>
        <b>{display}</b>
        <CodeText className={records.quiet ?? ''}>{name}</CodeText>
      </span>
      <span className={records.facts}>
        <span>{categoryName(t, type)}</span>
        <span>{t(source === 'index' ? 'templates.FromIndex' : 'templates.FromProduct')}</span>
      </span>
      <Badge>{t(stateNames[state])}</Badge>
      {readme && (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          aria-label={t('templates.ReadmeOf', { name: display })}
          aria-expanded={isOpen}
          aria-controls={readmeId}
          onClick={() => setIsOpen(!isOpen)}
        >
          {t('templates.Readme')}
        </Button>
      )}
      {state === 'new' && (
        <Button
          size="xs"
          variant="default"
          aria-label={t('templates.ImportOne', { name: display })}
          loading={busy.includes(name)}
          onClick={() => onImport(entry)}
        >
          {t('templates.Import')}
        </Button>
      )}
      {state === 'changed' && (
        <Button
          size="xs"
          variant="default"
          aria-label={t('templates.CompareOne', { name: display })}
          onClick={() => onCompare(entry)}
        >
          {t('templates.See')}
        </Button>
      )}
      {warnings.length > 0 && (
        <div className={classes.readme}>
          <Alert type="warning">
            <p>{t('templates.CannotRun')}</p>
            <Warnings warnings={warnings} />
          </Alert>
        </div>
      )}
      {readme && (
        <div id={readmeId} className={classes.readme} hidden={!isOpen}>
          {isOpen && <Readme markdown={readme} headings="h2" />}
        </div>
      )}
    </li>
  )
}
