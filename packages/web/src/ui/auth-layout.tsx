import { type ReactNode, useEffect, useRef } from 'react'
import classes from './auth-layout.module.css'
import { Logo } from './logo.tsx'
import { useDocumentTitle, useFocusHeading } from './page.tsx'

interface AuthLayoutProps {
  readonly title: string
  readonly subtitle: string
  /** Controls in the upper corner: appearance and language. */
  readonly corner?: ReactNode
  readonly wide?: boolean
  readonly children: ReactNode
}

/** The last line of the card: where else a person may want to go. */
export function AuthFooter({ children }: { children: ReactNode }) {
  return <p className={classes.foot}>{children}</p>
}

interface AuthMessageProps {
  readonly icon: ReactNode
  readonly title: string
  readonly subtitle: string
  readonly corner?: ReactNode
  readonly isError?: boolean
  /** The way on. */
  readonly children: ReactNode
}

/** A page before the panel that has nothing to fill in: what is the case, and the way on. It takes the focus. */
export function AuthMessage({ icon, title, subtitle, corner, isError = false, children }: AuthMessageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useDocumentTitle(title)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <main className={classes.page}>
      <div className={classes.corner}>{corner}</div>
      <div className={classes.card}>
        <div className={classes.head}>
          <span className={`${classes.icon} ${isError ? classes.error : ''}`}>{icon}</span>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          <p>{subtitle}</p>
        </div>
        {children}
      </div>
    </main>
  )
}

/** The pages before the panel proper: a card in the glow of the lantern. */
export function AuthLayout({ title, subtitle, corner, wide = false, children }: AuthLayoutProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useDocumentTitle(title)
  useFocusHeading(heading)
  return (
    <main className={classes.page}>
      <div className={classes.corner}>{corner}</div>
      <div className={`${classes.card} ${wide ? classes.wide : ''}`}>
        <div className={classes.head}>
          <Logo size={44} />
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          <p>{subtitle}</p>
        </div>
        {children}
      </div>
    </main>
  )
}
