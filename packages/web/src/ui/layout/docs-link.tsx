import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useLocale } from '../../i18n/i18n.tsx'
import { englishIn } from '../../i18n/locale.ts'

/** The pages of the documentation, with their sections, that the app links to. */
export const docsAddresses = [
  'CHANGELOG',
  'accounts',
  'alerts',
  'backup',
  'configuration#mail',
  'configuration#templates-to-import',
  'install',
  'nodes',
  'accounts#my-admins-must-use-two-factors',
  'accounts#passkeys-need-a-host-name',
  'nodes#when-they-do-not-reach-each-other',
  'orders',
  'templates',
  'themes',
  'translating',
] as const
export type DocsAddress = (typeof docsAddresses)[number]

interface DocsLinkProps {
  readonly to: DocsAddress
  readonly onClick?: () => void
  readonly children: ReactNode
}

/** A link to the documentation that comes with the panel, which is in English. */
export function DocsLink({ to, onClick, children }: DocsLinkProps) {
  return (
    // Within a sentence color alone does not show that it is a link.
    <Anchor component={Link} to={`/docs/${to}`} hrefLang="en" inherit underline="always" onClick={onClick}>
      {children}
      <InEnglish />
    </Anchor>
  )
}

/** Says after the name of a page that it is in English, to readers of another language: ` (Englisch)`. */
export function InEnglish() {
  const { locale } = useLocale()
  const name = englishIn(locale)
  return name === undefined ? null : <> ({name})</>
}
