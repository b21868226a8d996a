import { getOtp } from '@innkeeper/contract/account'
import { getSelf } from '@innkeeper/contract/panel'
import type { ServerView } from '@innkeeper/contract/servers'
import { sftpUserOf } from '@innkeeper/contract/sftp'
import { Button } from '@mantine/core'
import { IconExternalLink, IconPlugConnected } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useCall } from '../../api/use-call.ts'
import { useText } from '../../i18n/text.tsx'
import { Card, CopyButton, Mono } from '../../ui/small.tsx'
import { sftpAddressOf, sftpHostOf, sftpLinkOf } from './sftp.ts'
import classes from './sftp-card.module.css'

/** How to reach the files of a server with an SFTP client. */
export function SftpCard({ server: { id, node } }: { server: Pick<ServerView, 'id' | 'node'> }) {
  const text = useText()
  const self = useCall(getSelf, {}, { staleTime: 60_000 })
  const otp = useCall(getOtp, undefined, { staleTime: 60_000 })
  const host = sftpHostOf(node, location.hostname)
  const address = sftpAddressOf(host, node.sftpPort)
  const user = self.data && sftpUserOf(self.data.email, id)

  return (
    <Card className={classes.sftp ?? ''}>
      <div className={classes.sftpHead}>
        <h2>SFTP</h2>
        <IconPlugConnected size={18} stroke={1.6} aria-hidden />
      </div>
      <dl>
        <div>
          <dt>{text('files.SftpHost')}</dt>
          <dd>
            <Mono>{address}</Mono>
            <CopyButton value={address} label={text('files.SftpCopyHost')} />
          </dd>
        </div>
        <div>
          <dt>{text('files.SftpUser')}</dt>
          <dd>
            <Mono>{user ?? '…'}</Mono>
            {user !== undefined && <CopyButton value={user} label={text('files.SftpCopyUser')} />}
          </dd>
        </div>
      </dl>
      <p className={classes.quiet}>
        {otp.data?.otpEnabled ? (
          <>
            {text('files.SftpByKey')} <Link to="/account">{text('shell.Account')}</Link>
          </>
        ) : (
          text('files.SftpByPassword')
        )}
      </p>
      {user !== undefined && (
        <Button
          component="a"
          href={sftpLinkOf(user, host, node.sftpPort)}
          variant="default"
          fullWidth
          leftSection={<IconExternalLink size={16} stroke={1.6} aria-hidden />}
        >
          {text('files.SftpOpen')}
        </Button>
      )}
    </Card>
  )
}
