import { Outlet } from 'react-router'
import { ThemeButton } from '../features/appearance/theme-button.tsx'
import { LanguageButton } from '../features/language/language-button.tsx'
import { AuthPage } from '../ui/auth-layout.tsx'

/** Layout route of the pages before sign-in. */
export function AuthFrame() {
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
