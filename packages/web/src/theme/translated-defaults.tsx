import { MantineThemeProvider } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import { useT } from '../i18n/i18n.tsx'

/** Gives Mantine's own buttons (close, show password) their names in the user's language. */
export function TranslatedDefaults({ children }: { children: ReactNode }) {
  const t = useT()
  const theme = useMemo(() => {
    const closable = { defaultProps: { closeButtonProps: { 'aria-label': t('common.Close') } } }
    return {
      components: {
        Modal: closable,
        Drawer: closable,
        Notification: closable,
        PasswordInput: { defaultProps: { visibilityToggleButtonProps: { 'aria-label': t('sign-in.Reveal') } } },
      },
    }
  }, [t])
  return (
    <MantineThemeProvider inherit theme={theme}>
      {children}
    </MantineThemeProvider>
  )
}
