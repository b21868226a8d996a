import { getOtp } from '@innkeeper/contract/accounts/account'
import { getSftpUser } from '@innkeeper/contract/node-link/sftp'
import type { NodeSummary } from '@innkeeper/contract/nodes/nodes'
import type { ServerView } from '@innkeeper/contract/servers/servers'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { bracketed } from '@innkeeper/contract/text/address'
import { Button, DataList, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconExternalLink, IconPlugConnected } from '@tabler/icons-react'
import { Trans } from 'react-i18next'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import classes from './files.module.css'

/** How to connect to a server's files with an SFTP client. */
export function SftpCard({ server: { id, node } }: { server: Pick<ServerView, 'id' | 'node'> }) {
  const t = useT()
  const self = useApiQuery(getSelf, {}, { staleTime: 60_000 })
  const otp = useApiQuery(getOtp, undefined, { staleTime: 60_000 })
  const host = getSftpHost(node, location.hostname)
  const address = getSftpAddress(host, node.sftpPort)
  const user = self.data && getSftpUser(self.data.email, id)

  return (
    <Paper p="md">
      <Stack gap="sm">
        <Group justify="space-between" c="dimmed">
          <Title order={2} size="h3" c="var(--ik-text)">
            SFTP
          </Title>
          <IconPlugConnected size={18} aria-hidden />
        </Group>
        <DataList orientation="vertical" gap="sm">
          <Fact label={t('files.SftpHost')} value={address} copyLabel={t('files.SftpCopyHost')} />
          <Fact label={t('common.Username')} value={user} copyLabel={t('files.SftpCopyUser')} />
        </DataList>
        <Text variant="note">
          {otp.data?.otpEnabled ? (
            <Trans i18nKey="files.SftpByKey" components={{ account: <Link to="/account" /> }} />
          ) : (
            t('files.SftpByPassword')
          )}
        </Text>
        <Text variant="note">{t('files.SftpScp')}</Text>
        {user !== undefined && (
          <Button
            component="a"
            href={getSftpUrl(user, host, node.sftpPort)}
            variant="default"
            fullWidth
            leftSection={<IconExternalLink size={16} aria-hidden />}
          >
            {t('files.SftpOpen')}
          </Button>
        )}
      </Stack>
    </Paper>
  )
}

/** A user name wraps after its separator, rather than anywhere. */
function breakable(value: string) {
  const end = value.indexOf('#') + 1
  return (
    <>
      {value.slice(0, end)}
      <wbr />
      {value.slice(end)}
    </>
  )
}

function Fact({ label, value, copyLabel }: { label: string; value: string | undefined; copyLabel: string }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel fz="xs" c="var(--ik-subtle)">
        {label}
      </DataList.ItemLabel>
      <DataList.ItemValue w="100%">
        <Group gap="2xs" justify="space-between" wrap="nowrap" className={classes.wrapAnywhere}>
          <CodeText>{value === undefined ? '…' : breakable(value)}</CodeText>
          {value !== undefined && <CopyButton value={value} label={copyLabel} />}
        </Group>
      </DataList.ItemValue>
    </DataList.Item>
  )
}

/** The public host of a node on the panel's own machine. Users reach it by the host in their address bar. */
const panelMachineHost = '127.0.0.1'

export function getSftpHost(node: Pick<NodeSummary, 'publicHost' | 'sftpHost'>, pageHost: string): string {
  const host = node.sftpHost ?? node.publicHost
  return host === panelMachineHost ? pageHost : host
}

/** `host:port`, with brackets around an IPv6 address. */
export function getSftpAddress(host: string, port: number): string {
  return `${bracketed(host)}:${port}`
}

/** The URL that opens an SFTP client. The user name contains `@` and `#`, so it is encoded. */
export function getSftpUrl(user: string, host: string, port: number): string {
  return `sftp://${encodeURIComponent(user)}@${getSftpAddress(host, port)}/`
}
