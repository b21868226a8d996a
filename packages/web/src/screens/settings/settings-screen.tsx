import { limits } from '@innkeeper/contract/limits'
import { listMail } from '@innkeeper/contract/mail'
import { getConfig } from '@innkeeper/contract/panel'
import { grants } from '@innkeeper/contract/permissions'
import { listSettings } from '@innkeeper/contract/settings'
import { ActionIcon, Button, Paper, Skeleton } from '@mantine/core'
import { IconActivity, IconAdjustments, IconMail, IconMailForward, IconPalette } from '@tabler/icons-react'
import { Link } from 'react-router'
import { refetchOrThrow, useApiQuery, useVersionedApiQuery, type VersionedAnswer } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { useCan, useSession } from '../../session/session.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { NoPermission } from '../../ui/no-permission.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import { SectionNav } from '../../ui/section-nav.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { type Held, withoutAdmins } from './draft.ts'
import { EmailCard } from './email-card.tsx'
import { MailQueue } from './mail-queue.tsx'
import { PanelCard } from './panel-card.tsx'
import classes from './settings-screen.module.css'
import { ThemeCard } from './theme-card.tsx'
import type { SavedSettings } from './use-settings-form.ts'

/** What holds for the panel as a whole. Each card saves by itself. */
export function SettingsScreen() {
  const t = useT()
  const mayEdit = useCan('panel.settings')
  if (mayEdit) return <Settings />
  return (
    <Page type="form">
      <PageHeader title={t('settings.Title')} />
      <NoPermission />
    </Page>
  )
}

function Settings() {
  const t = useT()
  const { scopes } = useSession()
  const settings = useVersionedApiQuery(listSettings, {}, { refetchOnWindowFocus: false })
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const isLate = useDelayed(settings.isPending)
  const isAdmin = grants(scopes, 'servers.admin')
  const readAs = ({ answer, version }: VersionedAnswer<Held>) => ({
    held: isAdmin ? answer : withoutAdmins(answer),
    version,
  })
  const saved: SavedSettings | undefined = settings.data && {
    ...readAs(settings.data),
    reload: async () => readAs(await refetchOrThrow(settings)),
  }
  const themes = config.data?.themes.available ?? []
  const hasThemes = themes.length > 1
  const sections = [
    { id: 'panel', title: t('settings.Panel'), Icon: IconAdjustments },
    ...(hasThemes ? [{ id: 'theme', title: t('settings.Theme'), Icon: IconPalette }] : []),
    { id: 'email', title: t('settings.Email'), Icon: IconMail },
    ...(isAdmin
      ? [{ id: 'mail-queue', title: t('settings.MailQueue'), Icon: IconMailForward, badge: <FailedMails /> }]
      : []),
  ]

  return (
    <Page>
      <PageHeader
        title={t('settings.Title')}
        phoneActions={
          isAdmin && (
            <ActionIcon component={Link} to="/activity" size={44} aria-label={t('activity.Title')}>
              <IconActivity size={22} aria-hidden />
            </ActionIcon>
          )
        }
        actions={
          isAdmin && (
            <Button
              component={Link}
              to="/activity"
              variant="default"
              leftSection={<IconActivity size={17} aria-hidden />}
            >
              {t('activity.Title')}
            </Button>
          )
        }
      />
      <div className={classes.layout}>
        <SectionNav label={t('settings.Sections')} sections={sections} />
        <div className={classes.cards}>
          {saved ? (
            <>
              <PanelCard id="panel" saved={saved} />
              {hasThemes && <ThemeCard id="theme" saved={saved} available={themes} />}
              <EmailCard id="email" saved={saved} />
            </>
          ) : (
            <Paper>
              {settings.error ? (
                <QueryError
                  title={t('settings.LoadFailed')}
                  error={settings.error}
                  retry={() => void settings.refetch()}
                />
              ) : (
                <div className={classes.skeleton} aria-busy="true">
                  {isLate && <Skeleton h={180} aria-label={t('common.Loading')} />}
                </div>
              )}
            </Paper>
          )}
          {isAdmin && <MailQueue id="mail-queue" />}
        </div>
      </div>
    </Page>
  )
}

/** How many mails were given up, where somebody sees it. */
function FailedMails() {
  const t = useT()
  const { number } = useFormatters()
  const mail = useApiQuery(
    listMail,
    { query: { page: 1 } },
    { refetchInterval: limits.mailEveryMs, meta: { quiet: true } },
  )
  const failed = mail.data?.counts.failed ?? 0
  if (failed === 0) return null
  return (
    <span className={classes.count} role="img" aria-label={t('settings.FailedMails', { count: failed })}>
      {number(failed)}
    </span>
  )
}
