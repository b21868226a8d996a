import { Anchor } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'

/** The panel serves the documentation of its own API here. */
const apiDocsPath = '/api/docs'

export function ApiLink() {
  const t = useT()
  return (
    <Anchor href={apiDocsPath} target="_blank" rel="noreferrer" fz="compact" display="inline-flex">
      {t('oauth.ApiPage')}
      <IconExternalLink
        size={15}
        aria-hidden
        style={{ marginInlineStart: 'var(--mantine-spacing-2xs)', alignSelf: 'center' }}
      />
    </Anchor>
  )
}
