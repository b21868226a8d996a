import { environmentsOf, type Template } from '@innkeeper/contract/definition'
import { listTemplates } from '@innkeeper/contract/templates'
import { Badge, Kbd, Paper, Skeleton, TextInput } from '@mantine/core'
import { IconCheck, IconSearch, IconTemplate } from '@tabler/icons-react'
import { type ReactNode, useRef, useState } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { Readme } from '../../ui/readme.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './add-server-screen.module.css'
import { type Draft, variablesOf, withTemplate } from './draft.ts'

interface TemplateStepProps {
  readonly draft: Draft
  readonly template: Template | undefined
  readonly error: unknown
  readonly edit: (changed: (before: Draft) => Draft) => void
  /** The button that goes on. */
  readonly action: ReactNode
  readonly children: ReactNode
}

/** What to run: templates by type, with the readme and the needs of the chosen one beside them. */
export function TemplateStep({ draft, template, error, edit, action, children }: TemplateStepProps) {
  const t = useT()
  const list = useApiQuery(listTemplates, {}, { staleTime: 60_000 })
  const isLate = useDelayed(list.isPending)
  const [sought, setSought] = useState('')
  const [type, setType] = useState('')
  const input = useRef<HTMLInputElement>(null)
  useHotkeys([
    {
      keys: '/',
      label: t('add-server.SearchAction'),
      group: t('servers.List'),
      run: () => input.current?.focus(),
    },
  ])

  if (list.error) {
    const retry = () => void list.refetch()
    return (
      <Paper>
        <QueryError title={t('add-server.TemplatesFailed')} error={list.error} retry={retry} />
      </Paper>
    )
  }
  if (list.isPending) return isLate ? <Skeleton h={320} radius="lg" aria-label={t('common.Loading')} /> : null
  if (list.data.length === 0) {
    return (
      <Paper>
        <EmptyState icon={<IconTemplate size={24} aria-hidden />} title={t('add-server.NoTemplates')}>
          {t('add-server.NoTemplatesHow')}
        </EmptyState>
      </Paper>
    )
  }

  const nameOf = (type: string) => categoryName(t, type)
  const byName = (a: string, b: string) => nameOf(a).localeCompare(nameOf(b))
  const types = [...new Set(list.data.map((entry) => entry.type))].sort(byName)
  const wanted = sought.trim().toLocaleLowerCase()
  const found = list.data
    .filter((entry) => type === '' || entry.type === type)
    .filter(({ display = '', name, type }) =>
      `${display} ${name} ${type} ${nameOf(type)}`.toLocaleLowerCase().includes(wanted),
    )
    .sort((a, b) => (a.display ?? a.name).localeCompare(b.display ?? b.name))
  const groups = [...Map.groupBy(found, (entry) => entry.type)].sort(([a], [b]) => byName(a, b))

  return (
    <>
      {children}
      <div className={classes.search}>
        <TextInput
          ref={input}
          className={`ik-soft ${classes.searchField}`}
          type="search"
          aria-label={t('add-server.Search', { count: list.data.length })}
          placeholder={t('add-server.Search', { count: list.data.length })}
          leftSection={<IconSearch size={15} aria-hidden />}
          rightSection={<Kbd>/</Kbd>}
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
        />
        {types.length > 1 && (
          <fieldset className={classes.types}>
            <legend className={classes.hidden}>{t('add-server.TypeFilter')}</legend>
            {['', ...types].map((choice) => (
              <label key={choice}>
                <input type="radio" name="type" checked={choice === type} onChange={() => setType(choice)} />
                {choice === '' ? t('servers.All') : nameOf(choice)}
              </label>
            ))}
          </fieldset>
        )}
      </div>
      <div className={classes.templateColumns}>
        <div role="radiogroup" aria-label={t('add-server.Step_template')} className={classes.templates}>
          {groups.map(([group, entries]) => (
            <section key={group} className={classes.templateGroup}>
              <h2>{nameOf(group)}</h2>
              {entries.map(({ name, display }) => (
                <label key={name} className={classes.template}>
                  <input
                    type="radio"
                    name="template"
                    checked={draft.template === name}
                    onChange={() => edit((before) => withTemplate(before, name))}
                  />
                  <Initials name={display ?? name} />
                  <span className={classes.templateName}>
                    <b>{display ?? name}</b>
                    <span>{name}</span>
                  </span>
                </label>
              ))}
            </section>
          ))}
          {groups.length === 0 && <p className={classes.quiet}>{t('servers.NothingMatches', { sought })}</p>}
        </div>
        <aside className={classes.about} aria-live="polite">
          {error ? <ErrorAlert error={error} /> : <About template={template} />}
          <div className={classes.aboutFoot}>
            <span className={classes.space} />
            {action}
          </div>
        </aside>
      </div>
    </>
  )
}

function Initials({ name, large = false }: { name: string; large?: boolean }) {
  return (
    <span className={`${classes.initials} ${large ? classes.large : ''}`} aria-hidden>
      {name.slice(0, 2)}
    </span>
  )
}

function About({ template }: { template: Template | undefined }) {
  const t = useT()
  if (!template) return <p className={classes.quiet}>{t('add-server.ChooseTemplate')}</p>
  const name = template.display || (template.name ?? '')
  const { os, arch, binaries } = template.requirements ?? {}
  const needs = [
    ...(os ? [t('add-server.NeedsOs', { list: alternatives(os) })] : []),
    ...(arch ? [t('add-server.NeedsArch', { list: alternatives(arch) })] : []),
    ...(binaries?.length ? [t('add-server.NeedsBinaries', { list: binaries.map(alternatives).join(', ') })] : []),
    t('add-server.Environments', {
      list: environmentsOf(template)
        .map(({ type }) => type)
        .join(', '),
    }),
  ]
  const variables = variablesOf(template)

  return (
    <div className={classes.aboutBody}>
      <div className={classes.aboutHead}>
        <Initials name={name} large />
        <div>
          <h2>{name}</h2>
          <span className={classes.quiet}>{categoryName(t, template.type)}</span>
        </div>
      </div>
      {template.readme && <Readme markdown={template.readme} />}
      <section>
        <h3>{t('add-server.Requirements')}</h3>
        <ul className={classes.needs}>
          {needs.map((need) => (
            <li key={need}>
              <IconCheck size={16} aria-hidden />
              {need}
            </li>
          ))}
        </ul>
      </section>
      {variables.length > 0 && (
        <section>
          <h3>{t('add-server.YouWillSet')}</h3>
          <div className={classes.badges}>
            {variables.map(({ name: variable, variable: { display } }) => (
              <Badge key={variable} radius="sm">
                {display || variable}
              </Badge>
            ))}
          </div>
        </section>
      )}
    </div>
  )
}

/** `linux||darwin` as people read it. */
function alternatives(list: string): string {
  return list
    .split('||')
    .map((part) => part.trim())
    .join(' / ')
}
