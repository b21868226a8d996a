import { localTarget } from '@innkeeper/contract/backup-targets'
import type { Backup, BackupCopy } from '@innkeeper/contract/backups'
import { refusalFrom } from '@innkeeper/contract/refusal-envelope'
import { Text } from '@mantine/core'
import { useFormatters, useT } from '../../../i18n/i18n.tsx'
import { errorMessage } from '../../../ui/error-message.ts'
import type { ServerTargets } from './server-targets-dialog.tsx'

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
}

/** Where a backup is, for a node with several targets. */
export function CopyList({ copies, targets }: CopyListProps) {
  const t = useT()
  const { list } = useFormatters()
  const nameOf = useTargetName(targets)
  const stored = copies.filter(({ state, verification }) => state === 'stored' && !verification?.error)
  const texts = copies.flatMap((copy) => {
    const [name, reason] = [nameOf(copy.target), getReason(copy)]
    if (copy.state === 'waiting') return [t('backup-targets.Waiting', { name })]
    return reason ? [t('backup-targets.Failed', { name, reason: errorMessage(t, refusalFrom({ error: reason })) })] : []
  })
  return (
    <>
      {stored.length > 0 && (
        <Text fz="xs" c="dimmed">
          {t('backup-targets.Stored', { names: list(stored.map(({ target }) => nameOf(target))) })}
        </Text>
      )}
      {texts.map((text) => (
        <Text key={text} fz="xs" c="var(--ik-warning)">
          {text}
        </Text>
      ))}
    </>
  )
}

/** Why a backup cannot be restored from a target. */
const getReason = ({ error, verification }: BackupCopy) => error ?? verification?.error
