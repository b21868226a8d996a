import { listUsers } from '@innkeeper/contract/accounts/users'
import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { getConfig, getUserSettings } from '@innkeeper/contract/settings/panel'
import { getLastBackup } from '@innkeeper/contract/settings/settings'
import { Box, Button, Group, Paper, Text } from '@mantine/core'
import { IconCircle, IconCircleCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useJsonPreference } from '../../session/preferences.tsx'
import { DocsLink } from '../../ui/layout/docs-link.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { alignedEnd } from '../../ui/lists/aligned-end.ts'
import { CardHeader } from '../../ui/lists/card-header.tsx'

/** What the user answered. Everything else in the list is read from the panel. */
interface Answers {
  readonly isHidden: boolean
  /** Of a backup that the panel does not know, for example an image of the machine. */
  readonly hasBackup: boolean
}

const noAnswers: Answers = { isHidden: false, hasBackup: false }

function parseAnswers(value: unknown): Answers | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { isHidden, hasBackup } = value as Partial<Record<keyof Answers, unknown>>
  return { isHidden: isHidden === true, hasBackup: hasBackup === true }
}

/** What an administrator of a new panel should do. Hidden once everything is done or the user hides it. */
export function FirstSteps() {
  // The settings of the user come first: a list that they hid must not appear for a moment.
  const settings = useApiQuery(getUserSettings, {}, { staleTime: Number.POSITIVE_INFINITY })
  const [answers, setAnswers] = useJsonPreference('firstSteps', parseAnswers, noAnswers)
  if (!settings.data || answers.isHidden) return null
  return <Steps answers={answers} onAnswer={(change) => setAnswers({ ...answers, ...change })} />
}

function Steps({ answers, onAnswer }: { answers: Answers; onAnswer: (change: Partial<Answers>) => void }) {
  const t = useT()
  const options = { staleTime: 60_000, meta: { quiet: true } }
  const config = useApiQuery(getConfig, {}, options)
  const admins = useApiQuery(listUsers, { query: { access: 'admin' } }, options)
  const nodes = useApiQuery(listNodes, {}, options)
  const backup = useApiQuery(getLastBackup, {}, options)
  if (config.isPending || admins.isPending || nodes.isPending || backup.isPending) return null

  // A step whose state could not be loaded is left out.
  const hasMail = config.data && config.data.passwordResetEnabled === true
  const hasSecondAdmin = admins.data && admins.data.paging.total > 1
  const hasNode = nodes.data?.some(({ health }) => health?.state === 'online' || health?.state === 'degraded')
  const hasBackup = answers.hasBackup || (backup.data && backup.data.lastBackupAt !== undefined)
  const known = [hasMail, hasSecondAdmin, hasNode, hasBackup].filter((isDone) => isDone !== undefined)
  const done = known.filter(Boolean).length
  if (done === known.length) return null

  return (
    <Paper
      component="section"
      mx={{ base: 'sm', sm: 0 }}
      mt={{ base: 'sm', sm: 0 }}
      aria-label={t('first-steps.Title')}
    >
      <CardHeader title={t('first-steps.Title')} description={t('first-steps.Progress', { done, count: known.length })}>
        <Button variant="subtle" size="xs" me={alignedEnd} onClick={() => onAnswer({ isHidden: true })}>
          {t('first-steps.Hide')}
        </Button>
      </CardHeader>
      <RowList>
        {hasMail !== undefined && (
          <Step
            isDone={hasMail}
            title={t('first-steps.Mail')}
            reason={t('first-steps.MailWhy')}
            docs={<DocsLink to="configuration#mail">{t('first-steps.MailDocs')}</DocsLink>}
            action={<StepLink to="/settings">{t('first-steps.OpenSettings')}</StepLink>}
          />
        )}
        {hasSecondAdmin !== undefined && (
          <Step
            isDone={hasSecondAdmin}
            title={t('first-steps.Admin')}
            reason={t('first-steps.AdminWhy')}
            docs={<DocsLink to="accounts">{t('first-steps.AdminDocs')}</DocsLink>}
            action={<StepLink to="/adduser">{t('users.Add')}</StepLink>}
          />
        )}
        {hasNode !== undefined && (
          <Step
            isDone={hasNode}
            title={t('first-steps.Node')}
            reason={t('first-steps.NodeWhy')}
            docs={<DocsLink to="nodes">{t('first-steps.NodeDocs')}</DocsLink>}
            action={<StepLink to="/node">{t('first-steps.OpenNodes')}</StepLink>}
          />
        )}
        {hasBackup !== undefined && (
          <Step
            isDone={hasBackup}
            title={t('first-steps.Backup')}
            reason={!hasBackup && t('settings.NoBackup')}
            docs={<DocsLink to="backup">{t('first-steps.BackupDocs')}</DocsLink>}
            action={
              <Button variant="default" size="xs" onClick={() => onAnswer({ hasBackup: true })}>
                {t('first-steps.MarkDone')}
              </Button>
            }
          />
        )}
      </RowList>
    </Paper>
  )
}

interface StepProps {
  readonly isDone: boolean
  readonly title: string
  readonly reason: ReactNode
  readonly docs: ReactNode
  /** Shown until the step is done. */
  readonly action: ReactNode
}

function Step({ isDone, title, reason, docs, action }: StepProps) {
  const t = useT()
  return (
    <Group component="li" gap="sm" px="md" py="sm" aria-label={title}>
      {isDone ? (
        <IconCircleCheck size={20} color="var(--ik-online)" role="img" aria-label={t('first-steps.Done')} />
      ) : (
        <IconCircle size={20} color="var(--ik-subtle)" role="img" aria-label={t('first-steps.NotDone')} />
      )}
      <Box flex="1 1 14rem" miw={0}>
        <Text fw={500} c={isDone ? 'dimmed' : undefined}>
          {title}
        </Text>
        <Text variant="note">
          {reason} {docs}
        </Text>
      </Box>
      {!isDone && action}
    </Group>
  )
}

function StepLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Button component={Link} to={to} variant="default" size="xs">
      {children}
    </Button>
  )
}
