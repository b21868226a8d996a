import { listSshKeys, removeSshKey, type SshKey } from '@innkeeper/contract/ssh-keys'
import { Button, Skeleton } from '@mantine/core'
import { IconFingerprint, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Mono } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import classes from './account-screen.module.css'
import { AddSshKey } from './add-ssh-key.tsx'
import { Part } from './part.tsx'

/** The public keys with which the person logs in over SFTP. */
export function SshKeys() {
  const text = useText()
  const list = useCall(listSshKeys)
  const isLate = useIsLate(list.isPending)
  const [isAdding, setIsAdding] = useState(false)

  return (
    <Part
      id="ssh-keys"
      title={text('account.SshKeys')}
      isBare
      aside={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setIsAdding(true)}
        >
          {text('account.AddKey')}
        </Button>
      }
    >
      {list.isError && !list.data ? (
        <LoadFailure title={text('account.KeysFailed')} error={list.error} again={() => void list.refetch()} />
      ) : list.isPending ? (
        isLate && <Skeleton h={56} m="md" w="auto" aria-label={text('common.Loading')} />
      ) : list.data.length === 0 ? (
        <p className={classes.empty}>{text('account.NoKeys')}</p>
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
            toast.success(text('account.KeyAdded', { name }))
          }}
        />
      )}
    </Part>
  )
}

function KeyRow({ sshKey: { id, name, algorithm, fingerprint, createdAt, usedAt } }: { sshKey: SshKey }) {
  const text = useText()
  const confirm = useConfirm()
  const remove = useSend(removeSshKey, { refreshes: [listSshKeys] })

  const askAndRemove = async () => {
    const isWanted = await confirm({
      title: text('account.RemoveKeyTitle', { name }),
      body: text('account.RemoveKeyBody'),
      action: text('account.RemoveKey'),
      danger: true,
    })
    if (!isWanted) return
    try {
      await remove.send({ params: { id } })
      toast.success(text('account.KeyRemoved', { name }))
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <li className={classes.session}>
      <IconFingerprint size={20} stroke={1.6} aria-hidden />
      <div className={classes.what}>
        <b>
          <bdi>{name}</bdi>
        </b>
        <p>
          <Mono>{algorithm}</Mono> · <Mono>{fingerprint}</Mono>
        </p>
        <p>
          {text('account.KeyAddedAt')} <Moment at={createdAt} /> ·{' '}
          {usedAt === undefined ? (
            text('account.NeverUsed')
          ) : (
            <>
              {text('account.LastUsed')} <Moment at={usedAt} />
            </>
          )}
        </p>
      </div>
      <Button
        size="xs"
        variant="default"
        loading={remove.pending}
        aria-label={text('account.RemoveKeyOf', { name })}
        onClick={() => void askAndRemove()}
      >
        {text('account.RemoveKey')}
      </Button>
    </li>
  )
}
