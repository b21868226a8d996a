import { IconExternalLink } from '@tabler/icons-react'
import { useText } from '../../i18n/text.tsx'
import classes from './oauth-clients.module.css'

/** Where this panel describes its own calls. */
const apiPage = '/api/docs'

export function ApiLink() {
  const text = useText()
  return (
    <a className={classes.api} href={apiPage} target="_blank" rel="noreferrer">
      {text('oauth.ApiPage')}
      <IconExternalLink size={15} aria-hidden />
    </a>
  )
}
