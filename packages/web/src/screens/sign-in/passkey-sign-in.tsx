import { Button, Stack } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import { findPasskeyProblem, type PasskeyProblem, signInWithPasskey } from '../../api/passkeys.ts'
import { PasskeyProblemAlert } from '../../features/passkeys/passkey-problem.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'

/** Signs in with a passkey, without a user name. Says why that is not possible at this address. */
export function PasskeySignIn({ site }: { site: string }) {
  const t = useT()
  const { start } = useSession()
  const [problem, setProblem] = useState<PasskeyProblem>()
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const [isPending, setIsPending] = useState(false)

  const use = async () => {
    const found = findPasskeyProblem(site)
    setProblem(found)
    setFailure(undefined)
    if (found) return
    setIsPending(true)
    try {
      start(await signInWithPasskey())
    } catch (error) {
      setFailure({ error })
    }
    setIsPending(false)
  }
  return (
    <Stack>
      {failure && <ErrorAlert error={failure.error} />}
      {problem && <PasskeyProblemAlert problem={problem} site={site} />}
      <Button
        h={40}
        variant="default"
        leftSection={<IconFingerprint size={17} aria-hidden />}
        loading={isPending}
        onClick={() => void use()}
      >
        {t('sign-in.WithPasskey')}
      </Button>
    </Stack>
  )
}
