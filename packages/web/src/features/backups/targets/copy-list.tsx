import { type getServerBackupTargets, localTarget } from '@innkeeper/contract/backups/backup-targets'
import type { Backup, BackupCopy } from '@innkeeper/contract/backups/backups'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { Button, Group, Text } from '@mantine/core'
import type { z } from 'zod/mini'
import { useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'
import { errorMessage } from '../../../ui/text/error-message.ts'

export type ServerTargets = z.infer<typeof getServerBackupTargets.response>

/** Names of the targets of a node. */
export function useTargetName(targets: ServerTargets | undefined): (id: string) => string {
  const t = useT()
  return (id) =>
    id === localTarget ? t('backup-targets.Local') : (targets?.targets.find((target) => target.id === id)?.name ?? id)
}

/** The targets from which a backup can be read. */
export function readableTargets({ copies = [] }: Backup): string[] {
  return copies.filter(({ state }) => state === 'stored').map(({ target }) => target)
}

interface CopyListProps {
  readonly copies: readonly BackupCopy[]
  readonly targets: ServerTargets
  /** Makes the missing copies on a target now. Absent without permission. */
  readonly onCopy: ((target: string) => void) | undefined
}

/** Where a backup is, for a node with several targets. */
export function CopyList({ copies, targets, onCopy }: CopyListProps) {
  const t = useT()
  const { list } = useFormatters()
  const getName = useTargetName(targets)
  const stored = copies.filter(({ state, verification }) => state === 'stored' && !verification?.error)
  return (
    <>
      {stored.length > 0 && (
        <Text variant="caption">
          {t('backup-targets.Stored', { names: list(stored.map(({ target }) => getName(target))) })}
        </Text>
      )}
      {copies
        .filter((copy) => !stored.includes(copy))
        .map((copy) => (
          <UnusableCopy key={copy.target} copy={copy} name={getName(copy.target)} onCopy={onCopy} />
        ))}
    </>
  )
}

interface UnusableCopyProps extends Pick<CopyListProps, 'onCopy'> {
  readonly copy: BackupCopy
  readonly name: string
}

/** Why a backup cannot be read from a target, and when a missing copy is tried again. */
function UnusableCopy({ copy: { target, state, error, verification, nextTryAt }, name, onCopy }: UnusableCopyProps) {
  const t = useT()
  const { dateTime } = useFormatters()
  const reason = error ?? verification?.error
  const getText = () => {
    if (!reason) return t('backup-targets.Waiting', { name })
    const metadata = { name, reason: errorMessage(t, refusalFrom({ error: reason })) }
    return state === 'stored' ? t('backup-targets.Failed', metadata) : t('backup-targets.Missing', metadata)
  }
  return (
    <Group gap="xs">
      <Text fz="xs" c="var(--ik-warning)">
        {getText()}
      </Text>
      {nextTryAt !== undefined && (
        <Text variant="caption">{t('settings.MailNextTry', { time: dateTime(Date.parse(nextTryAt)) })}</Text>
      )}
      {nextTryAt !== undefined && onCopy && (
        <Button size="compact-xs" variant="default" onClick={() => onCopy(target)}>
          {t('common.TryAgain')}
        </Button>
      )}
    </Group>
  )
}
