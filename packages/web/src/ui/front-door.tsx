import { type ReactNode, useRef } from 'react'
import classes from './front-door.module.css'
import { Lantern } from './lantern.tsx'
import { useDocumentTitle, useTitleFocus } from './page.tsx'

interface FrontDoorProps {
  readonly title: string
  readonly subtitle: string
  /** Controls in the upper corner: appearance and language. */
  readonly corner?: ReactNode
  readonly wide?: boolean
  readonly children: ReactNode
}

/** The pages before the panel proper: a card in the glow of the lantern. */
export function FrontDoor({ title, subtitle, corner, wide = false, children }: FrontDoorProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useDocumentTitle(title)
  useTitleFocus(heading)
  return (
    <main className={classes.page}>
      <div className={classes.corner}>{corner}</div>
      <div className={`${classes.card} ${wide ? classes.wide : ''}`}>
        <div className={classes.head}>
          <Lantern size={44} />
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
