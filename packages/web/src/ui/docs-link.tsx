import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'

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
  'nodes#when-they-do-not-reach-each-other',
  'templates',
  'themes',
] as const
export type DocsAddress = (typeof docsAddresses)[number]

/** A link to the documentation that comes with the panel. */
export function DocsLink({ to, children }: { to: DocsAddress; children: ReactNode }) {
  return (
    // Within a sentence color alone does not show that it is a link.
    <Anchor component={Link} to={`/docs/${to}`} inherit underline="always">
      {children}
    </Anchor>
  )
}
