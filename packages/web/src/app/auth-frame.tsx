import type { ReactNode } from 'react'
import { ThemeButton } from '../features/appearance/theme-button.tsx'
import { LanguageButton } from '../features/language/language-button.tsx'
import { AuthPage } from '../ui/auth-layout.tsx'
import { usePreload } from '../ui/use-preload.ts'

/** What most people see after they signed in. */
const loadServersList = () =>
  Promise.all([import('./routes.tsx'), import('./shell.tsx'), import('../screens/servers/servers-screen.tsx')])

/** Layout of the pages before sign-in. */
export function AuthFrame({ children }: { children: ReactNode }) {
  usePreload(loadServersList)
  return (
    <AuthPage
      corner={
        <>
          <ThemeButton />
          <LanguageButton />
        </>
      }
    >
      {children}
    </AuthPage>
  )
}
