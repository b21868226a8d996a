import { Trans } from 'react-i18next'
import { Link } from 'react-router'

/** Link to the registration page, on panels that allow it. */
export function RegisterLink() {
  return <Trans i18nKey="sign-in.NoAccount" components={{ register: <Link to="/auth/register" /> }} />
}
