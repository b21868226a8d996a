import type { TablerIcon } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import classes from './section-nav.module.css'

export interface Section {
  /** The id of its part of the page. */
  readonly id: string
  readonly title: string
  readonly Icon: TablerIcon
  /** What asks for attention there. */
  readonly badge?: ReactNode
}

interface SectionNavProps {
  readonly label: string
  readonly sections: readonly Section[]
  readonly className?: string
}

/** Leads to the parts of a long page and says which one is in view. */
export function SectionNav({ label, sections, className = '' }: SectionNavProps) {
  const [current, setCurrent] = useSectionInView(sections)
  return (
    <nav className={`${classes.nav} ${className}`} aria-label={label}>
      {sections.map(({ id, title, Icon, badge }) => (
        <a
          key={id}
          href={`#${id}`}
          aria-current={id === current ? 'true' : undefined}
          onClick={(event) => {
            // The address stays what it is: a fragment would be a page of its own to the router.
            event.preventDefault()
            const part = document.getElementById(id)
            part?.scrollIntoView({ block: 'start' })
            const start = part?.matches('[tabindex]') ? part : part?.querySelector('h2')
            start?.focus({ preventScroll: true })
            setCurrent(id)
          }}
        >
          <Icon size={17} aria-hidden />
          <span>{title}</span>
          {badge}
        </a>
      ))}
    </nav>
  )
}

/** How far below the upper edge a section may begin and still be the one that is read. */
const readingLine = 120

/** The section that is read; a short last one, which can never reach the top, when the page is at its end. */
function useSectionInView(sections: readonly Section[]) {
  const [current, setCurrent] = useState(sections[0]?.id)
  const ids = sections.map(({ id }) => id).join(' ')

  useEffect(() => {
    const scroller = document.getElementById('content')
    if (!scroller) return
    const look = () => {
      const edge = scroller.getBoundingClientRect().top + readingLine
      const isAtEnd = scroller.scrollTop > 0 && scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2
      const begun = ids.split(' ').filter((id) => {
        const top = document.getElementById(id)?.getBoundingClientRect().top
        return top !== undefined && top <= edge
      })
      setCurrent(isAtEnd ? ids.split(' ').at(-1) : (begun.at(-1) ?? ids.split(' ')[0]))
    }
    scroller.addEventListener('scroll', look, { passive: true })
    return () => scroller.removeEventListener('scroll', look)
  }, [ids])
  return [current, setCurrent] as const
}
