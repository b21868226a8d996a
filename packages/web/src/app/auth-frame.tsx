import { Outlet } from 'react-router'
import { ThemeButton } from '../features/appearance/theme-button.tsx'
import { LanguageButton } from '../features/language/language-button.tsx'
import { AuthPage } from '../ui/auth-layout.tsx'
import { usePreload } from '../ui/use-preload.ts'

/** What most people see after they signed in. */
const loadServersList = () => Promise.all([import('./shell.tsx'), import('../screens/servers/servers-screen.tsx')])

/** Layout route of the pages before sign-in. */
export function AuthFrame() {
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
      <Outlet />
    </AuthPage>
  )
}
