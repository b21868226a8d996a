import { Text, type TextProps } from '@mantine/core'
import type { ReactNode } from 'react'

/** Addresses, paths and codes: fixed width, left to right in every language. */
export function CodeText({
  children,
  ...props
}: Pick<TextProps, 'c' | 'className' | 'truncate'> & { children: ReactNode }) {
  return (
    <Text span inherit ff="monospace" fz="compact" dir="ltr" {...props}>
      {children}
    </Text>
  )
}
