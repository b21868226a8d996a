import { listSshKeys, removeSshKey, type SshKey } from '@innkeeper/contract/ssh-keys'
import { Button, Text } from '@mantine/core'
import { IconFingerprint, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Trans } from 'react-i18next'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { useConfirm } from '../../ui/confirm.ts'
import { QueryState } from '../../ui/query-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowList } from '../../ui/row-list.tsx'
import { toast } from '../../ui/toast.tsx'
import { AccountRow } from './account-row.tsx'
import { AccountSection } from './account-section.tsx'
import { AddSshKey } from './add-ssh-key.tsx'

/** The user's public keys for SFTP. */
export function SshKeys() {
  const t = useT()
  const query = useApiQuery(listSshKeys)
  const [isAdding, setIsAdding] = useState(false)

  return (
    <AccountSection
      id="ssh-keys"
      title={t('account.SshKeys')}
      isFlush
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setIsAdding(true)}
        >
          {t('account.AddKey')}
        </Button>
      }
    >
      <QueryState
        query={query}
        errorTitle={t('account.KeysFailed')}
        isEmpty={(keys) => keys.length === 0}
        empty={
          <Text px="md" py="lg" variant="note">
            {t('account.NoKeys')}
          </Text>
        }
      >
        {(keys) => (
          <RowList>
            {keys.map((key) => (
              <SshKeyRow key={key.id} sshKey={key} />
            ))}
          </RowList>
        )}
      </QueryState>
      {isAdding && (
        <AddSshKey
          onClose={() => setIsAdding(false)}
          onAdded={({ name }) => {
            setIsAdding(false)
            toast.success(t('common.Added', { name }))
          }}
        />
      )}
    </AccountSection>
  )
}

function SshKeyRow({ sshKey: { id, name, algorithm, fingerprint, createdAt, usedAt } }: { sshKey: SshKey }) {
  const t = useT()
  const confirm = useConfirm()
  const remove = useApiMutation(removeSshKey, {
    invalidates: [listSshKeys],
    onSuccess: () => toast.success(t('account.KeyRemoved', { name })),
  })

  const confirmAndRemove = async () => {
    const isConfirmed = await confirm({
      title: t('account.RemoveKeyTitle', { name }),
      body: t('account.RemoveKeyBody'),
      action: t('common.Remove'),
    })
    if (isConfirmed) remove.mutate({ params: { id } })
  }
  return (
    <AccountRow
      Icon={IconFingerprint}
      title={name}
      action={
        <Button
          size="xs"
          variant="default"
          loading={remove.isPending}
          aria-label={t('common.RemoveNamed', { name })}
          onClick={() => void confirmAndRemove()}
        >
          {t('common.Remove')}
        </Button>
      }
    >
      <Text inherit>
        <CodeText>{algorithm}</CodeText> · <CodeText>{fingerprint}</CodeText>
      </Text>
      <Text inherit>
        <Trans
          i18nKey={usedAt === undefined ? 'account.KeyNeverUsed' : 'account.KeyUsed'}
          components={{
            added: <RelativeTime time={createdAt} />,
            used: <RelativeTime time={usedAt ?? createdAt} />,
          }}
        />
      </Text>
    </AccountRow>
  )
}
