import type { ServerView } from '@innkeeper/contract/servers/servers'
import { Paper } from '@mantine/core'
import { IconBan, IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { ActionRow } from '../../ui/lists/action-row.tsx'
import { SuspendDialog } from './suspend-dialog.tsx'
import { useEndSuspension } from './use-end-suspension.ts'

/** The card that suspends the server, or ends that. */
export function SuspendCard({ server }: { readonly server: ServerView }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  const { end, isPending } = useEndSuspension(server.id)
  return (
    <Paper>
      {server.suspension ? (
        <ActionRow
          title={t('server.SuspensionEnd')}
          description={t('server.SuspensionEndAbout')}
          icon={IconPlayerPlay}
          action={t('server.SuspensionEnd')}
          loading={isPending}
          onClick={end}
        />
      ) : (
        <ActionRow
          title={t('server.SuspendTitle')}
          description={t('server.SuspendAbout')}
          icon={IconBan}
          action={t('server.Suspend')}
          onClick={() => setIsOpen(true)}
        />
      )}
      {isOpen && <SuspendDialog server={server} onClose={() => setIsOpen(false)} />}
    </Paper>
  )
}
