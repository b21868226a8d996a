import { ActionIcon, Button, Group } from '@mantine/core'
import { IconHeartbeat, IconListCheck, IconPlus, IconSearch } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useCan } from '../../session/session.tsx'
import { useNow } from '../../ui/hooks/use-now.ts'
import { PageHeader } from '../../ui/layout/page.tsx'
import type { ServersScreenState } from './use-servers-screen.tsx'

/** The title of the list with its actions. */
export function ServersHeader({ screen }: { screen: ServersScreenState }) {
  const t = useT()
  const canCreate = useCan('servers.create')
  const { list, isEmpty, isFilterExpanded, isSelectMode } = screen
  return (
    <PageHeader
      title={t('shell.Servers')}
      actions={
        <>
          {!isEmpty && !list.error && list.updatedAt > 0 && <LastUpdated time={list.updatedAt} />}
          {/* The empty state has a button of its own; one that disappears when the list is loaded would lose the focus. */}
          {canCreate && !list.isLoading && !isEmpty && <AddServerButton />}
        </>
      }
      phoneActions={
        <>
          <ActionIcon
            size={44}
            aria-label={t('servers.FilterAction')}
            aria-expanded={isFilterExpanded}
            onClick={() => screen.setFilterExpanded(!isFilterExpanded)}
          >
            <IconSearch size={22} aria-hidden />
          </ActionIcon>
          <ActionIcon
            size={44}
            aria-label={t('servers.SelectMode')}
            aria-pressed={isSelectMode}
            onClick={screen.toggleSelectMode}
          >
            <IconListCheck size={22} aria-hidden />
          </ActionIcon>
          {canCreate && (
            <ActionIcon
              size={44}
              variant="filled"
              color="primary"
              component={Link}
              to="/addserver"
              aria-label={t('servers.Add')}
            >
              <IconPlus size={22} aria-hidden />
            </ActionIcon>
          )}
        </>
      }
    />
  )
}

export function AddServerButton() {
  const t = useT()
  return (
    <Button component={Link} to="/addserver" leftSection={<IconPlus size={17} aria-hidden />}>
      {t('servers.Add')}
    </Button>
  )
}

/** How old the statuses are, updated every second. `time` is epoch milliseconds. */
function LastUpdated({ time }: { time: number }) {
  const t = useT()
  const { relative } = useFormatters()
  const now = useNow(time, 1_000)
  return (
    <Group gap="xs" me="xs" fz="xs" c="var(--ik-subtle)" style={{ fontVariantNumeric: 'tabular-nums' }}>
      <IconHeartbeat size={14} aria-hidden />
      <span>{t('servers.Updated', { ago: relative(time, now) })}</span>
    </Group>
  )
}
