import { listTemplates } from '@innkeeper/contract/templates'
import { Button, Skeleton, TextInput } from '@mantine/core'
import { IconDownload, IconPlus, IconSearch, IconTemplate } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { Link } from 'react-router'
import { useCall } from '../../api/use-call.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { Page, PageHead } from '../../ui/page.tsx'
import records from '../../ui/records.module.css'
import { Badge, Card, Kbd, Mono } from '../../ui/small.tsx'
import { useIsLate } from '../../ui/use-late.ts'

/** What servers can be made of. */
export function TemplatesScreen() {
  const text = useText()
  const mayEdit = useMay('templates.edit')
  const templates = useCall(listTemplates, {})
  const isLate = useIsLate(templates.isPending)
  const [sought, setSought] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const again = () => void templates.refetch()
  const wanted = sought.trim().toLocaleLowerCase()
  const found = (templates.data ?? [])
    .filter(({ name, display = '', type }) =>
      [display, name, type, categoryName(text, type)].join(' ').toLocaleLowerCase().includes(wanted),
    )
    .sort((a, b) => (a.display ?? a.name).localeCompare(b.display ?? b.name))
  useHotkeys([
    { keys: '/', label: text('servers.FilterAction'), group: text('servers.List'), run: () => input.current?.focus() },
  ])

  return (
    <Page>
      <PageHead
        title={text('templates.Title')}
        actions={
          mayEdit && (
            <>
              <Button
                component={Link}
                to="/importtemplates"
                variant="default"
                leftSection={<IconDownload size={17} aria-hidden />}
              >
                {text('templates.Import')}
              </Button>
              <Button component={Link} to="/addtemplate" leftSection={<IconPlus size={17} aria-hidden />}>
                {text('templates.New')}
              </Button>
            </>
          )
        }
      />
      <TextInput
        ref={input}
        className="ik-soft"
        maw={320}
        type="search"
        aria-label={text('templates.Filter')}
        placeholder={text('templates.Filter')}
        leftSection={<IconSearch size={15} aria-hidden />}
        rightSection={<Kbd>/</Kbd>}
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
      />
      <Card>
        {templates.error ? (
          <LoadFailure title={text('templates.LoadFailed')} error={templates.error} again={again} />
        ) : templates.isPending ? (
          isLate && <Skeleton h={52} aria-label={text('common.Loading')} />
        ) : found.length === 0 ? (
          <EmptyState
            icon={<IconTemplate size={24} aria-hidden />}
            title={wanted === '' ? text('templates.Empty') : text('servers.NothingMatches', { sought })}
          />
        ) : (
          <ul className={records.list}>
            {found.map(({ name, display, type, supportedEnvironments }) => (
              <li key={name} className={records.record}>
                <span className={records.main}>
                  <Link to={`/template/${encodeURIComponent(name)}`}>{display ?? name}</Link>
                  <Mono className={records.quiet ?? ''}>{name}</Mono>
                </span>
                <span className={records.facts}>{categoryName(text, type)}</span>
                {supportedEnvironments.map((environment) => (
                  <Badge key={environment.type} square>
                    {environmentName(text, environment.type)}
                  </Badge>
                ))}
              </li>
            ))}
          </ul>
        )}
      </Card>
    </Page>
  )
}
