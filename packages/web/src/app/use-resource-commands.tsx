import { listUsers } from '@innkeeper/contract/accounts/users'
import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { listTemplates } from '@innkeeper/contract/templates/templates'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSitemap, IconTemplate, IconUser } from '@tabler/icons-react'
import { keepPreviousData } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useNavigate } from 'react-router'
import { useApiQuery } from '../api/use-api-query.ts'
import { useT } from '../i18n/i18n.tsx'
import { useCan } from '../session/session.tsx'
import type { Command } from './command-search.ts'

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
