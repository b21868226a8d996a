import type { ReactNode } from 'react'
import { ThemeButton } from '../features/appearance/theme-button.tsx'
import { LanguageButton } from '../features/language/language-button.tsx'
import { LeaveGuard } from '../forms/unsaved-changes.tsx'
import { AuthPage } from '../ui/layout/auth-layout.tsx'
import { usePreload } from '../ui/loading/use-preload.ts'

/** What most users see after they signed in. */
const loadServersList = () => Promise.all([import('./shell.tsx'), import('../screens/servers/servers-screen.tsx')])

/** Layout of the pages before sign-in, which ask before what was entered is lost. */
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
      <LeaveGuard>{children}</LeaveGuard>
    </AuthPage>
  )
}
