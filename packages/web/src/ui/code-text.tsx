import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** Addresses, paths and codes: fixed width, left to right in every language. */
export function CodeText({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <Text span inherit ff="monospace" fz="0.78125rem" dir="ltr" className={className}>
      {children}
    </Text>
  )
}
