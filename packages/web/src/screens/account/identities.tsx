import {
  type LinkedIdentity,
  listIdentities,
  startIdentityLink,
  unlinkIdentity,
} from '@innkeeper/contract/accounts/oidc'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { Button, Text } from '@mantine/core'
import { IconId, IconPlus } from '@tabler/icons-react'
import { Trans } from 'react-i18next'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { AccountRow, AccountSection } from './account-section.tsx'

/** The identities at providers of OpenID Connect that the user signs in with. Hidden while there is neither. */
export function Identities() {
  const t = useT()
  const query = useApiQuery(listIdentities)
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const providers = config.data?.oidcProviders ?? []
  const link = useApiMutation(startIdentityLink, { onSuccess: ({ url }) => window.location.assign(url) })
  if (providers.length === 0 && (query.data?.length ?? 0) === 0) return null

  return (
    <AccountSection
      id="identities"
      title={t('identities.Title')}
      isFlush
      actions={providers.map(({ id, name }) => (
        <Button
          key={id}
          size="xs"
          h="auto"
          mih={30}
          variant="default"
          styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
          leftSection={<IconPlus size={16} aria-hidden />}
          loading={link.isPending}
          onClick={() => void link.mutate({ params: { id } })}
        >
          {t('identities.Link', { name })}
        </Button>
      ))}
    >
      <QueryState
        query={query}
        errorTitle={t('identities.LoadFailed')}
        isEmpty={(identities) => identities.length === 0}
        empty={
          <Text px="md" py="lg" variant="note">
            {t('identities.None')}
          </Text>
        }
      >
        {(identities) => (
          <RowList>
            {identities.map((identity) => (
              <IdentityRow key={identity.id} identity={identity} />
            ))}
          </RowList>
        )}
      </QueryState>
    </AccountSection>
  )
}

function IdentityRow({ identity }: { identity: LinkedIdentity }) {
  const { id, issuer, label, createdAt, usedAt } = identity
  const name = identity.provider ?? issuer
  const t = useT()
  const confirm = useConfirm()
  const unlink = useApiMutation(unlinkIdentity, {
    invalidates: [listIdentities],
    onSuccess: () => toast.success(t('identities.Unlinked', { name })),
  })

  const confirmAndUnlink = async () => {
    const isConfirmed = await confirm({
      title: t('identities.UnlinkTitle', { name }),
      body: t('identities.UnlinkBody'),
      action: t('identities.Unlink'),
    })
    if (isConfirmed) await unlink.mutate({ params: { id } })
  }
  return (
    <AccountRow
      Icon={IconId}
      title={name}
      action={
        <Button
          size="xs"
          variant="default"
          loading={unlink.isPending}
          aria-label={t('identities.UnlinkNamed', { name })}
          onClick={() => void confirmAndUnlink()}
        >
          {t('identities.Unlink')}
        </Button>
      }
    >
      <bdi>{label}</bdi>
      <br />
      <Trans
        i18nKey={usedAt === undefined ? 'account.KeyNeverUsed' : 'account.KeyUsed'}
        components={{ added: <RelativeTime time={createdAt} />, used: <RelativeTime time={usedAt ?? createdAt} /> }}
      />
    </AccountRow>
  )
}
