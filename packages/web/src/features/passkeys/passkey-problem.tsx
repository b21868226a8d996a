import type { PasskeyProblem } from '../../api/passkeys.ts'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { DocsLink } from '../../ui/layout/docs-link.tsx'

/** Why passkeys cannot be used here, and what to do. */
export function PasskeyProblemAlert({ problem, site = '' }: { problem: PasskeyProblem; site: string | undefined }) {
  const t = useT()
  const isForAdministrator = problem !== 'otherAddress' && problem !== 'notSupported'
  return (
    <Alert type="info">
      {problem === 'otherAddress' ? (
        <>
          {t('passkeys.Problem_otherAddress')} <a href={site}>{site}</a>
        </>
      ) : (
        t(`passkeys.Problem_${problem}`)
      )}{' '}
      {isForAdministrator && <DocsLink to="accounts#passkeys-need-a-host-name">{t('passkeys.ProblemDocs')}</DocsLink>}
    </Alert>
  )
}
