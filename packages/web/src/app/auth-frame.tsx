import { Outlet } from 'react-router'
import { ColorSchemeToggle } from '../features/appearance/color-scheme.tsx'
import { LanguageButton } from '../features/language/language-button.tsx'
import { AuthPage } from '../ui/auth-layout.tsx'

/** Layout route of the pages before sign-in. */
export function AuthFrame() {
  return (
    <AuthPage
      corner={
        <>
          <ColorSchemeToggle />
          <LanguageButton />
        </>
      }
    >
      <Outlet />
    </AuthPage>
  )
}
