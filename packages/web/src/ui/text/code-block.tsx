import { Code } from '@mantine/core'

/** Preformatted code in a box that scrolls, also by keyboard. */
export function CodeBlock({ children, mah }: { children: string; mah?: string }) {
  return (
    <Code
      block
      tabIndex={0}
      p="sm"
      mah={mah}
      fz="xs"
      lh="1.1875rem"
      bg="var(--ik-sunken)"
      bd="1px solid var(--ik-border)"
    >
      {children}
    </Code>
  )
}
