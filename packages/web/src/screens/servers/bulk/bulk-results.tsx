import type { ListedServer } from '@innkeeper/contract/servers/servers'
import { Box, Button, Group, List, Progress, Stack, Text } from '@mantine/core'
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react'
import { useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'
import { errorMessage } from '../../../ui/text/error-message.ts'
import classes from './bulk.module.css'
import type { BulkAction, BulkPlan, SkipReason } from './bulk-plan.ts'
import type { BulkResult, BulkRun } from './use-bulk-run.ts'

interface BulkResultsProps {
  readonly action: BulkAction
  readonly plan: BulkPlan
  readonly bulk: BulkRun
  readonly onRetry: (servers: readonly ListedServer[]) => void
  readonly onClose: () => void
}

/** The progress of a bulk action and, when it has ended, the result of every selected server. */
export function BulkResults({ action, plan, bulk, onRetry, onClose }: BulkResultsProps) {
  const t = useT()
  const { number } = useFormatters()
  const { targets, skipped } = plan
  const { results, isRunning } = bulk
  const total = targets.length
  const withResult = (type: BulkResult['type']) => targets.filter(({ id }) => results.get(id)?.type === type)
  const failed = withResult('failed')
  const done = withResult('done')
  const retryable = [...failed, ...withResult('canceled')]

  if (isRunning) {
    return (
      <Stack gap="md">
        <Progress value={(results.size / total) * 100} aria-label={t('servers.BulkRunning')} />
        <Box fz="sm" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }}>
          <p>{t('servers.BulkProgress', { done: number(results.size), total: number(total), count: total })}</p>
          {failed.length > 0 && <p>{t('servers.BulkFailed', { count: failed.length })}</p>}
        </Box>
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={bulk.cancel}>
            {t('common.Cancel')}
          </Button>
        </Group>
      </Stack>
    )
  }
  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        {t(`servers.Done_${action}`, { count: done.length, total })}
      </Text>
      <Box className={classes.results} mah="22rem" tabIndex={0} role="region" aria-label={t('servers.BulkResults')}>
        <List listStyleType="none" size="sm">
          {[...retryable, ...done].map((server) => (
            <ResultRow key={server.id} action={action} name={server.name} result={results.get(server.id)} />
          ))}
          {skipped.map(({ server, reason }) => (
            <ResultRow key={server.id} action={action} name={server.name} skipped={reason} />
          ))}
        </List>
      </Box>
      <Group justify="flex-end" gap="xs">
        <Button variant="subtle" onClick={onClose}>
          {t('common.Close')}
        </Button>
        {retryable.length > 0 && (
          <Button onClick={() => onRetry(retryable)}>{t('servers.BulkRetry', { count: retryable.length })}</Button>
        )}
      </Group>
    </Stack>
  )
}

interface ResultRowProps {
  readonly action: BulkAction
  readonly name: string
  readonly result?: BulkResult | undefined
  readonly skipped?: SkipReason
}

function ResultRow({ action, name, result, skipped }: ResultRowProps) {
  const t = useT()
  const type = result?.type ?? 'skipped'
  // The node carries out everything else after its response.
  const doneText = action === 'tags' ? 'servers.ResultDone' : 'servers.ResultSent'
  const Icon = type === 'done' ? IconCheck : type === 'failed' ? IconX : IconMinus
  return (
    <Group component="li" className={classes.result} gap="xs" wrap="nowrap" align="flex-start" data-result={type}>
      <Icon size={16} aria-hidden />
      <Box miw={0}>
        <Text inherit fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text inherit c="dimmed">
          {result?.type === 'failed'
            ? errorMessage(t, result.error)
            : skipped
              ? t(`servers.Reason_${skipped}`)
              : t(type === 'done' ? doneText : 'servers.ResultCancelled')}
        </Text>
      </Box>
    </Group>
  )
}
