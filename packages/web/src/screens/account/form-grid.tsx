import { SimpleGrid } from '@mantine/core'
import type { ReactNode } from 'react'

/** Fields side by side where there is room. */
export function FormGrid({ p, children }: { p?: 'md'; children: ReactNode }) {
  return (
    <SimpleGrid minColWidth="min(15rem, 100%)" spacing="md" {...(p && { p })}>
      {children}
    </SimpleGrid>
  )
}
