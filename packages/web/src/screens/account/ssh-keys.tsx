import { listSshKeys, removeSshKey, type SshKey } from '@innkeeper/contract/ssh-keys'
import { Button, Skeleton } from '@mantine/core'
import { IconFingerprint, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './account-screen.module.css'
import { AddSshKey } from './add-ssh-key.tsx'
import { Part } from './part.tsx'

/** The public keys with which the person logs in over SFTP. */
export function SshKeys() {
  const t = useT()
  const list = useApiQuery(listSshKeys)
  const isLate = useDelayed(list.isPending)
  const [isAdding, setIsAdding] = useState(false)

  return (
    <Part
      id="ssh-keys"
      title={t('account.SshKeys')}
      isBare
      aside={
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
      {list.isError && !list.data ? (
        <QueryError title={t('account.KeysFailed')} error={list.error} retry={() => void list.refetch()} />
      ) : list.isPending ? (
        isLate && <Skeleton h={56} m="md" w="auto" aria-label={t('common.Loading')} />
      ) : list.data.length === 0 ? (
        <p className={classes.empty}>{t('account.NoKeys')}</p>
      ) : (
        <ul className={classes.sessions}>
          {list.data.map((key) => (
            <KeyRow key={key.id} sshKey={key} />
          ))}
        </ul>
      )}
      {isAdding && (
        <AddSshKey
          onClose={() => setIsAdding(false)}
          onAdded={({ name }) => {
            setIsAdding(false)
            toast.success(t('account.KeyAdded', { name }))
          }}
        />
      )}
    </Part>
  )
}

function KeyRow({ sshKey: { id, name, algorithm, fingerprint, createdAt, usedAt } }: { sshKey: SshKey }) {
  const t = useT()
  const confirm = useConfirm()
  const remove = useApiMutation(removeSshKey, { invalidates: [listSshKeys] })

  const askAndRemove = async () => {
    const isWanted = await confirm({
      title: t('account.RemoveKeyTitle', { name }),
      body: t('account.RemoveKeyBody'),
      action: t('account.RemoveKey'),
      danger: true,
    })
    if (!isWanted) return
    try {
      await remove.mutateAsync({ params: { id } })
      toast.success(t('account.KeyRemoved', { name }))
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <li className={classes.session}>
      <IconFingerprint size={20} aria-hidden />
      <div className={classes.what}>
        <b>
          <bdi>{name}</bdi>
        </b>
        <p>
          <CodeText>{algorithm}</CodeText> · <CodeText>{fingerprint}</CodeText>
        </p>
        <p>
          {t('account.KeyAddedAt')} <RelativeTime at={createdAt} /> ·{' '}
          {usedAt === undefined ? (
            t('account.NeverUsed')
          ) : (
            <>
              {t('account.LastUsed')} <RelativeTime at={usedAt} />
            </>
          )}
        </p>
      </div>
      <Button
        size="xs"
        variant="default"
        loading={remove.isPending}
        aria-label={t('account.RemoveKeyOf', { name })}
        onClick={() => void askAndRemove()}
      >
        {t('account.RemoveKey')}
      </Button>
    </li>
  )
}
