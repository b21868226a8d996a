import { listUsers } from '@innkeeper/contract/accounts/users'
import { hasScope, type PanelScope } from '@innkeeper/contract/api/permissions'
import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { listTemplates } from '@innkeeper/contract/templates/templates'
import { useDebouncedValue } from '@mantine/hooks'
import { IconBook, IconSitemap, IconTemplate, IconUser } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useNavigate } from 'react-router'
import { useApiQuery } from '../api/use-api.ts'
import { searchSections } from '../features/docs/docs-sections.ts'
import { loadDocsSections } from '../features/docs/load-docs-sections.ts'
import { accountSections, settingsSections } from '../features/sections/page-sections.ts'
import { type TranslationKey, useT } from '../i18n/i18n.tsx'
import { useCan, useSession } from '../session/session.tsx'
import { type Command, searchCommands } from './command-search.ts'

/** How many sections of the documentation are offered. */
const maxDocs = 6
/** Fewer letters are in nearly every section. */
const minDocsQuery = 3

interface PageWithSections {
  readonly path: string
  readonly name: TranslationKey
  readonly sections: typeof settingsSections
  readonly scope?: PanelScope
}

const pages: readonly PageWithSections[] = [
  { path: '/settings', name: 'shell.Settings', sections: settingsSections, scope: 'panel.settings' },
  { path: '/account', name: 'shell.Account', sections: accountSections },
]

/** Commands that open sections of the settings, of the account and of the documentation. */
export function usePageCommands(query: string): readonly Command[] {
  const t = useT()
  const navigate = useNavigate()
  const { scopes } = useSession()
  const text = query.trim()
  const docs = useQuery({ ...loadDocsSections, enabled: text.length >= minDocsQuery })
  return useMemo(() => {
    if (text === '') return []
    const canSee = (scope: PanelScope | undefined) => scope === undefined || hasScope(scopes, scope)
    const sections = pages.flatMap(({ path, name: page, sections, scope: pageScope }) =>
      sections
        .filter(({ scope }) => canSee(pageScope) && canSee(scope))
        .map(({ id, name, Icon }) => ({
          id: `section-${path.slice(1)}-${id}`,
          label: t(name),
          detail: t(page),
          group: t('hotkeys.GoTo'),
          icon: <Icon size={18} aria-hidden />,
          run: () => void navigate(`${path}#${id}`),
        })),
    )
    const found = text.length >= minDocsQuery ? searchSections(docs.data ?? [], text) : []
    const docsCommands = found.map(({ path, page, heading }) => ({
      id: `docs-${path}`,
      label: heading,
      detail: heading === page ? undefined : page,
      group: t('docs.Title'),
      icon: <IconBook size={18} aria-hidden />,
      run: () => void navigate(path),
    }))
    return [...sections, ...searchCommands(docsCommands, text).slice(0, maxDocs)]
  }, [text, docs.data, scopes, t, navigate])
}

const staleTime = 60_000
const maxUsers = 10

/** Commands that open nodes, templates and users. They are loaded once a query of two letters is entered. */
export function useResourceCommands(query: string): readonly Command[] {
  const t = useT()
  const navigate = useNavigate()
  const [debouncedQuery] = useDebouncedValue(query.trim(), 150)
  const isWanted = debouncedQuery.length > 1
  const canViewUsers = useCan('users.view')
  const nodes = useApiQuery(listNodes, {}, { enabled: useCan('nodes.view') && isWanted, staleTime })
  const templates = useApiQuery(listTemplates, {}, { enabled: useCan('templates.view') && isWanted, staleTime })
  const users = useApiQuery(
    listUsers,
    { query: { username: `*${debouncedQuery}*`, limit: maxUsers } },
    { enabled: canViewUsers && isWanted, placeholderData: keepPreviousData },
  )
  return useMemo(() => {
    if (!isWanted) return []
    const group = t('hotkeys.GoTo')
    const open = (path: string) => () => void navigate(path)
    return [
      ...(nodes.data ?? []).map(({ id, name }) => ({
        id: `node-${id}`,
        label: name,
        detail: t('common.Node'),
        group,
        icon: <IconSitemap size={18} aria-hidden />,
        run: open(`/node/${id}`),
      })),
      ...(templates.data ?? []).map(({ name, display = name }) => ({
        id: `template-${name}`,
        label: display,
        detail: t('add-server.Step_template'),
        group,
        icon: <IconTemplate size={18} aria-hidden />,
        run: open(`/template/${encodeURIComponent(name)}`),
      })),
      ...(users.data?.users ?? []).map(({ id, username }) => ({
        id: `user-${id}`,
        label: username,
        detail: t('palette.User'),
        group,
        icon: <IconUser size={18} aria-hidden />,
        run: open(`/user/${id}`),
      })),
    ]
  }, [isWanted, nodes.data, templates.data, users.data, t, navigate])
}
