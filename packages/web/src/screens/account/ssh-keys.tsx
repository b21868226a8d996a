import { getCredentialCounts } from '@innkeeper/contract/accounts/account'
import { addSshKey, listSshKeys, removeSshKey, type SshKey } from '@innkeeper/contract/accounts/ssh-keys'
import { Box, Button, FileButton, Text, Textarea, TextInput } from '@mantine/core'
import { IconFile, IconFingerprint, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Trans } from 'react-i18next'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { CodeText } from '../../ui/text/code-text.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { AccountRow, AccountSection } from './account-section.tsx'
import { fieldByCode } from './field-by-code.ts'

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
    invalidates: [listSshKeys, getCredentialCounts],
    onSuccess: () => toast.success(t('account.KeyRemoved', { name })),
  })

  const confirmAndRemove = async () => {
    const isConfirmed = await confirm({
      title: t('account.RemoveKeyTitle', { name }),
      body: t('account.RemoveKeyBody'),
      action: t('common.Remove'),
    })
    if (isConfirmed) await remove.mutate({ params: { id } })
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

/** In bytes; no public key is longer. */
const maxFileSize = 16_384

/** Adds a public key, pasted or read from a file. Requires the current password. */
function AddSshKey({ onClose, onAdded }: { onClose: () => void; onAdded: (key: SshKey) => void }) {
  const t = useT()
  const add = useApiMutation(addSshKey, { invalidates: [listSshKeys, getCredentialCounts] })
  const required = (value: string, field: string) =>
    value.trim() === '' ? t('errors.ErrFieldRequired', { field }) : undefined
  const form = useSubmitForm({
    id: 'ssh-key',
    initialValues: { key: '', name: '', password: '' },
    secrets: ['password'],
    fieldByCode,
    messages: { ErrInvalidCredentials: t('account.WrongPassword') },
    validate: ({ key, password }) => ({
      key: required(key, t('common.PublicKey')),
      password: required(password, t('account.CurrentPassword')),
    }),
    send: ({ key, name, password }) => {
      const label = name.trim()
      return add.mutateAsync({ body: { key, password, ...(label === '' ? {} : { name: label }) } })
    },
    onSaved: onAdded,
  })
  const readFile = async (file: File | null) => {
    if (file) form.set({ key: (await file.slice(0, maxFileSize).text()).trim() })
  }
  return (
    <SubmitDialog form={form} title={t('account.AddKey')} action={t('account.AddKey')} onClose={onClose}>
      <Box>
        <Textarea
          {...form.field('key')}
          label={t('common.PublicKey')}
          description={t('account.PublicKeyHint')}
          minRows={3}
          maxRows={8}
          autosize
          spellCheck={false}
          autoComplete="off"
          data-autofocus
        />
        <FileButton accept=".pub,text/plain" onChange={(file) => void readFile(file)}>
          {(props) => (
            <Button {...props} mt="xs" size="xs" variant="default" leftSection={<IconFile size={16} aria-hidden />}>
              {t('account.ChooseKeyFile')}
            </Button>
          )}
        </FileButton>
      </Box>
      <TextInput
        {...form.field('name')}
        label={t('common.Name')}
        description={t('account.KeyNameHint')}
        maxLength={100}
        autoComplete="off"
      />
      <PasswordField {...form.field('password')} label={t('account.CurrentPassword')} autoComplete="current-password" />
    </SubmitDialog>
  )
}
