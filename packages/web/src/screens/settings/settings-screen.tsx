import { listMail } from '@innkeeper/contract/alerts/mail'
import { hasScope } from '@innkeeper/contract/api/permissions'
import { listSettings } from '@innkeeper/contract/settings/settings'
import { limits } from '@innkeeper/contract/text/limits'
import { Badge, Box, Flex, Stack } from '@mantine/core'
import { IconMailForward } from '@tabler/icons-react'
import type { VersionedResponse } from '../../api/request.ts'
import { refetchOrThrow, useApiQuery, useVersionedApiQuery } from '../../api/use-api.ts'
import { AlertsCard } from '../../features/alerts/alerts-card.tsx'
import { PanelRetentionCard } from '../../features/backups/retention-cards.tsx'
import { settingsSections } from '../../features/sections/page-sections.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useCan, useSession } from '../../session/session.tsx'
import { NoPermission } from '../../ui/feedback/no-permission.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { SectionNav, useScrollToSection } from '../../ui/layout/section-nav.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { DnsCard } from './dns-card.tsx'
import { EmailCard } from './email-card.tsx'
import { Outbox } from './outbox.tsx'
import { PanelCard } from './panel-card.tsx'
import { PlansCard } from './plans/plans-card.tsx'
import { getProvider, lockAdminSettings, type SavedSettings } from './setting-values.ts'
import { SignInCard } from './sign-in-card.tsx'
import { ThemeCard } from './theme-card.tsx'
import type { LoadedSettings } from './use-settings-form.ts'

/** The settings of the panel. Each card is saved independently. */
export function SettingsScreen() {
  const t = useT()
  const canEdit = useCan('panel.settings')
  if (canEdit) return <Settings />
  return (
    <Page type="form">
      <PageHeader title={t('shell.Settings')} />
      <NoPermission scope="panel.settings" />
    </Page>
  )
}

function Settings() {
  const t = useT()
  const { scopes } = useSession()
  const isAdmin = hasScope(scopes, 'servers.admin')
  const hasOutbox = useHasOutbox(isAdmin)
  const isLoaded = useVersionedApiQuery(listSettings, {}, { refetchOnWindowFocus: false }).data !== undefined
  useScrollToSection(isLoaded)
  const sections = [
    ...settingsSections
      .filter(({ scope }) => scope === undefined || hasScope(scopes, scope))
      .map(({ id, name, Icon }) => ({ id, title: t(name), Icon })),
    ...(hasOutbox
      ? [{ id: 'outbox', title: t('settings.Outbox'), Icon: IconMailForward, badge: <FailedCount /> }]
      : []),
  ]

  return (
    <Page type="wideForm">
      <PageHeader title={t('shell.Settings')} />
      <Flex direction={{ base: 'column', lg: 'row' }} gap={{ base: 'md', lg: 'xl' }}>
        <Box flex="none" w={{ lg: '12.5rem' }}>
          <SectionNav label={t('common.Sections')} sections={sections} />
        </Box>
        <Stack flex={1} miw={0}>
          <SettingsCards isAdmin={isAdmin} />
          <PanelRetentionCard id="backups" />
          {isAdmin && <PlansCard id="plans" />}
          {isAdmin && <AlertsCard id="alerts" />}
          {hasOutbox && <Outbox id="outbox" />}
        </Stack>
      </Flex>
    </Page>
  )
}

function SettingsCards({ isAdmin }: { isAdmin: boolean }) {
  const t = useT()
  const query = useVersionedApiQuery(listSettings, {}, { refetchOnWindowFocus: false })
  const toVersioned = ({ response, version }: VersionedResponse<SavedSettings>) => ({
    settings: isAdmin ? response : lockAdminSettings(response),
    version,
  })
  return (
    <QueryState inCard query={query} errorTitle={t('common.SettingsNotLoaded')}>
      {(data) => {
        const loaded: LoadedSettings = {
          ...toVersioned(data),
          reload: async () => toVersioned(await refetchOrThrow(query)),
        }
        return (
          <>
            <PanelCard id="panel" loaded={loaded} />
            <SignInCard id="sign-in" loaded={loaded} />
            <ThemeCard id="theme" loaded={loaded} canManage={isAdmin} />
            <EmailCard id="email" loaded={loaded} />
            <DnsCard id="dns" loaded={loaded} />
          </>
        )
      }}
    </QueryState>
  )
}

/** The outbox is shown when the panel can send email, or when there are emails from a time when it could. */
function useHasOutbox(isAdmin: boolean): boolean {
  const settings = useVersionedApiQuery(listSettings, {}, { refetchOnWindowFocus: false })
  const mail = useFirstMailPage(isAdmin)
  const hasProvider = settings.data !== undefined && getProvider(settings.data.response, {}) !== 'none'
  const hasMail = Object.values(mail.data?.counts ?? {}).some((count) => count > 0)
  return isAdmin && (hasProvider || hasMail)
}

function useFirstMailPage(enabled: boolean) {
  return useApiQuery(
    listMail,
    { query: { page: 1 } },
    { enabled, refetchInterval: limits.mailEveryMs, meta: { quiet: true } },
  )
}

/** The number of failed emails; nothing when there are none. */
function FailedCount() {
  const t = useT()
  const { number } = useFormatters()
  const query = useFirstMailPage(true)
  const failed = query.data?.counts.failed ?? 0
  if (failed === 0) return null
  return (
    <Badge
      bg="var(--ik-offline-soft)"
      c="var(--ik-offline)"
      role="img"
      aria-label={t('settings.FailedMails', { count: failed })}
    >
      {number(failed)}
    </Badge>
  )
}
