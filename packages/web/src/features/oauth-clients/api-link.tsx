import { IconExternalLink } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './oauth-clients.module.css'

/** Where this panel describes its own calls. */
const apiPage = '/api/docs'

export function ApiLink() {
  const t = useT()
  return (
    <a className={classes.api} href={apiPage} target="_blank" rel="noreferrer">
      {t('oauth.ApiPage')}
      <IconExternalLink size={15} aria-hidden />
    </a>
  )
}
