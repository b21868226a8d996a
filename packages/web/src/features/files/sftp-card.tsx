import { getOtp } from '@innkeeper/contract/account'
import { getSelf } from '@innkeeper/contract/panel'
import type { ServerView } from '@innkeeper/contract/servers'
import { sftpUserOf } from '@innkeeper/contract/sftp'
import { Button, Paper } from '@mantine/core'
import { IconExternalLink, IconPlugConnected } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { sftpAddressOf, sftpHostOf, sftpLinkOf } from './sftp.ts'
import classes from './sftp-card.module.css'

/** How to reach the files of a server with an SFTP client. */
export function SftpCard({ server: { id, node } }: { server: Pick<ServerView, 'id' | 'node'> }) {
  const t = useT()
  const self = useApiQuery(getSelf, {}, { staleTime: 60_000 })
  const otp = useApiQuery(getOtp, undefined, { staleTime: 60_000 })
  const host = sftpHostOf(node, location.hostname)
  const address = sftpAddressOf(host, node.sftpPort)
  const user = self.data && sftpUserOf(self.data.email, id)

  return (
    <Paper className={classes.sftp ?? ''}>
      <div className={classes.sftpHead}>
        <h2>SFTP</h2>
        <IconPlugConnected size={18} aria-hidden />
      </div>
      <dl>
        <div>
          <dt>{t('files.SftpHost')}</dt>
          <dd>
            <CodeText>{address}</CodeText>
            <CopyButton value={address} label={t('files.SftpCopyHost')} />
          </dd>
        </div>
        <div>
          <dt>{t('files.SftpUser')}</dt>
          <dd>
            <CodeText>{user ?? '…'}</CodeText>
            {user !== undefined && <CopyButton value={user} label={t('files.SftpCopyUser')} />}
          </dd>
        </div>
      </dl>
      <p className={classes.quiet}>
        {otp.data?.otpEnabled ? (
          <>
            {t('files.SftpByKey')} <Link to="/account">{t('shell.Account')}</Link>
          </>
        ) : (
          t('files.SftpByPassword')
        )}
      </p>
      {user !== undefined && (
        <Button
          component="a"
          href={sftpLinkOf(user, host, node.sftpPort)}
          variant="default"
          fullWidth
          leftSection={<IconExternalLink size={16} aria-hidden />}
        >
          {t('files.SftpOpen')}
        </Button>
      )}
    </Paper>
  )
}
