import { Trans } from 'react-i18next'
import { Link } from 'react-router'

/** For those who have no account yet, where everyone may register. */
export function RegisterLink() {
  return <Trans i18nKey="login.NoAccount" components={{ register: <Link to="/auth/register" /> }} />
}
