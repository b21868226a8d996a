import { startOidcLogin } from '@innkeeper/contract/accounts/oidc'
import type { OidcProviderName } from '@innkeeper/contract/settings/panel'
import { Button, Stack } from '@mantine/core'
import { IconLogin2 } from '@tabler/icons-react'
import { useState } from 'react'
import { request } from '../../api/request.ts'
import { saveOidcReturnPath } from '../../features/oidc/return-path.ts'
import { useT } from '../../i18n/i18n.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'

interface OidcSignInProps {
  readonly providers: readonly OidcProviderName[]
  /** The page to open afterwards. */
  readonly returnPath: string | undefined
}

/** A button for each provider of OpenID Connect. */
export function OidcSignIn({ providers, returnPath }: OidcSignInProps) {
  const t = useT()
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const [pending, setPending] = useState<string>()

  const open = async (id: string) => {
    setFailure(undefined)
    setPending(id)
    try {
      const { url } = await request(startOidcLogin, { params: { id } })
      saveOidcReturnPath(returnPath)
      window.location.assign(url)
    } catch (error) {
      setFailure({ error })
      setPending(undefined)
    }
  }
  return (
    <Stack>
      {failure && <ErrorAlert error={failure.error} />}
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          h="auto"
          mih={40}
          variant="default"
          styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
          leftSection={<IconLogin2 size={17} aria-hidden data-flip />}
          loading={pending === id}
          onClick={() => void open(id)}
        >
          {t('sign-in.WithProvider', { name })}
        </Button>
      ))}
    </Stack>
  )
}
