import { getCredentialCounts, getOtp, listSessions, renewRecoveryCodes } from '@innkeeper/contract/accounts/account'
import { listPasskeys, type Passkey, removePasskey, renamePasskey } from '@innkeeper/contract/accounts/passkeys'
import { listSshKeys } from '@innkeeper/contract/accounts/ssh-keys'
import { getConfig, getSelf } from '@innkeeper/contract/settings/panel'
import { Box, Button, Checkbox, Group, Text, TextInput } from '@mantine/core'
import { IconFingerprint, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { Trans } from 'react-i18next'
import { createPasskey, findPasskeyProblem } from '../../api/passkeys.ts'
import { useAction, useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { PasskeyProblemAlert } from '../../features/passkeys/passkey-problem.tsx'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { AccountRow, AccountSection } from './account-section.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { parseUserAgent } from './user-agent.ts'

/** What changes with a passkey. */
const changed = [listPasskeys, getOtp, getCredentialCounts, listSessions, listSshKeys, getSelf]

/** The user's passkeys, and what prevents them here. */
export function Passkeys() {
  const t = useT()
  const query = useApiQuery(listPasskeys)
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const [isAdding, setIsAdding] = useState(false)
  const [newCodes, setNewCodes] = useState<readonly string[]>()
  const site = config.data?.passkeyOrigin
  const problem = config.data && findPasskeyProblem(site)

  return (
    <AccountSection
      id="passkeys"
      title={t('passkeys.Title')}
      isFlush
      actions={
        config.data &&
        !problem && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setIsAdding(true)}
          >
            {t('passkeys.Add')}
          </Button>
        )
      }
    >
      {problem && (
        <Box px="md" pt="md">
          <PasskeyProblemAlert problem={problem} site={site} />
        </Box>
      )}
      <QueryState
        query={query}
        errorTitle={t('passkeys.LoadFailed')}
        isEmpty={(passkeys) => passkeys.length === 0}
        empty={
          <Text px="md" py="lg" variant="note">
            {t('passkeys.None')}
          </Text>
        }
      >
        {(passkeys) => (
          <RowList>
            {passkeys.map((passkey) => (
              <PasskeyRow key={passkey.id} passkey={passkey} isLast={passkeys.length === 1} />
            ))}
          </RowList>
        )}
      </QueryState>
      <RecoveryCodesLeft onNewCodes={setNewCodes} />
      {isAdding && (
        <AddPasskey
          onClose={() => setIsAdding(false)}
          onAdded={({ passkey: { name }, recoveryCodes }) => {
            setIsAdding(false)
            toast.success(t('common.Added', { name }))
            setNewCodes(recoveryCodes)
          }}
        />
      )}
      {newCodes && <RecoveryCodes codes={newCodes} onClose={() => setNewCodes(undefined)} />}
    </AccountSection>
  )
}

/** Recovery codes, for accounts whose only second factors are passkeys. */
function RecoveryCodesLeft({ onNewCodes }: { onNewCodes: (codes: readonly string[]) => void }) {
  const t = useT()
  const confirm = useConfirm()
  const otp = useApiQuery(getOtp)
  const renew = useApiMutation(renewRecoveryCodes, {
    invalidates: [getOtp],
    onSuccess: ({ recoveryCodes }) => onNewCodes(recoveryCodes),
  })
  const count = otp.data?.otpEnabled === false ? otp.data.recoveryCodesLeft : undefined
  if (count === undefined) return null

  const confirmAndRenew = async () => {
    const isConfirmed = await confirm({
      title: t('two-factor.RenewTitle'),
      body: t('passkeys.RenewHint'),
      action: t('two-factor.Renew'),
      danger: false,
    })
    if (isConfirmed) await renew.mutate({ body: {} })
  }
  return (
    <Group gap="sm" px="md" py="sm">
      <Text flex="1 1 10rem" variant="note">
        {count === 0 ? t('two-factor.NoCodesLeft') : t('two-factor.CodesLeft', { count })}
      </Text>
      <Button size="xs" variant="default" loading={renew.isPending} onClick={() => void confirmAndRenew()}>
        {t('two-factor.Renew')}
      </Button>
    </Group>
  )
}

function PasskeyRow({ passkey, isLast }: { passkey: Passkey; isLast: boolean }) {
  const { id, name, createdAt, usedAt } = passkey
  const t = useT()
  const confirm = useConfirm()
  const otp = useApiQuery(getOtp)
  const [isRenaming, setIsRenaming] = useState(false)
  const remove = useApiMutation(removePasskey, {
    invalidates: changed,
    onSuccess: () => toast.success(t('passkeys.Removed', { name })),
  })

  const confirmAndRemove = async () => {
    const endsTwoFactor = isLast && otp.data?.otpEnabled === false
    const isConfirmed = await confirm({
      title: t('passkeys.RemoveTitle', { name }),
      body: t(endsTwoFactor ? 'passkeys.RemoveLastBody' : 'passkeys.RemoveBody'),
      action: t('common.Remove'),
    })
    if (isConfirmed) await remove.mutate({ params: { id } })
  }
  return (
    <AccountRow
      Icon={IconFingerprint}
      title={name}
      action={
        <Group gap="xs" justify="flex-end">
          <Button
            size="xs"
            variant="default"
            aria-label={t('passkeys.RenameNamed', { name })}
            onClick={() => setIsRenaming(true)}
          >
            {t('common.Rename')}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={remove.isPending}
            aria-label={t('common.RemoveNamed', { name })}
            onClick={() => void confirmAndRemove()}
          >
            {t('common.Remove')}
          </Button>
        </Group>
      }
    >
      <Trans
        i18nKey={usedAt === undefined ? 'account.KeyNeverUsed' : 'account.KeyUsed'}
        components={{ added: <RelativeTime time={createdAt} />, used: <RelativeTime time={usedAt ?? createdAt} /> }}
      />
      {isRenaming && <RenamePasskey passkey={passkey} onClose={() => setIsRenaming(false)} />}
    </AccountRow>
  )
}

const maxName = 100

function RenamePasskey({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose: () => void }) {
  const t = useT()
  const rename = useApiMutation(renamePasskey, { invalidates: [listPasskeys] })
  const form = useSubmitForm({
    id: `passkey-${id}`,
    initialValues: { name },
    validate: (values) => requireName(t, values),
    send: (values) => rename.mutateAsync({ params: { id }, body: { name: values.name.trim() } }),
    onSaved: onClose,
  })
  return (
    <SubmitDialog form={form} title={t('passkeys.Rename')} action={t('common.Save')} onClose={onClose}>
      <TextInput
        {...form.field('name')}
        label={t('common.Name')}
        maxLength={maxName}
        autoComplete="off"
        data-autofocus
      />
    </SubmitDialog>
  )
}

interface AddPasskeyProps {
  readonly onClose: () => void
  readonly onAdded: (added: Awaited<ReturnType<typeof createPasskey>>) => void
}

/** Asks for a name, and then the browser for the passkey. */
function AddPasskey({ onClose, onAdded }: AddPasskeyProps) {
  const t = useT()
  const otp = useApiQuery(getOtp)
  const keys = useApiQuery(listSshKeys)
  const add = useAction(createNamed, { invalidates: changed })
  const device = parseUserAgent(navigator.userAgent)
  const form = useSubmitForm({
    initialValues: { name: device ? t('account.BrowserOn', device) : '', keepSshKeys: false },
    // What the browser asks for cannot be kept.
    isGuarded: false,
    validate: (values) => requireName(t, values),
    send: (values) => add.mutateAsync(values),
    onSaved: onAdded,
  })
  // The first second factor of the account.
  const isFirst = otp.data?.otpEnabled === false && otp.data.recoveryCodesLeft === undefined
  const keyCount = keys.data?.length ?? 0
  return (
    <SubmitDialog form={form} title={t('passkeys.Add')} action={t('common.Continue')} onClose={onClose}>
      <Text variant="note">{t('passkeys.AddHow')}</Text>
      <TextInput
        {...form.field('name')}
        label={t('common.Name')}
        description={t('passkeys.NameHint')}
        maxLength={maxName}
        autoComplete="off"
        data-autofocus
      />
      {isFirst && <Text variant="note">{t('passkeys.FirstHint')}</Text>}
      {isFirst && keyCount > 0 && (
        <Checkbox
          label={t('two-factor.KeepKeys', { count: keyCount })}
          description={t('two-factor.KeepKeysHow')}
          {...form.switchField('keepSshKeys')}
        />
      )}
    </SubmitDialog>
  )
}

const createNamed = ({ name, keepSshKeys }: { name: string; keepSshKeys: boolean }) =>
  createPasskey(name.trim(), { keepSshKeys })

function requireName(t: ReturnType<typeof useT>, { name }: { readonly name: string }) {
  return { name: name.trim() === '' ? t('errors.ErrFieldRequired', { field: t('common.Name') }) : undefined }
}
