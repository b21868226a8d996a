import { NavLink } from '@mantine/core'
import type { TablerIcon } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import classes from './section-nav.module.css'

export interface Section {
  /** The id of the element that the entry scrolls to. */
  readonly id: string
  readonly title: string
  readonly Icon: TablerIcon
  /** Shown at the end of the entry, for example a number of errors. */
  readonly badge?: ReactNode
}

/** Links to the sections of a long page. The section in view is marked with `aria-current`. */
export function SectionNav({ label, sections }: { label: string; sections: readonly Section[] }) {
  const [activeId, setActiveId] = useActiveSection(sections)
  return (
    <nav className={classes.nav} aria-label={label}>
      {sections.map(({ id, title, Icon, badge }) => (
        <NavLink
          key={id}
          className={classes.link}
          href={`#${id}`}
          label={title}
          leftSection={<Icon size={17} aria-hidden />}
          rightSection={badge}
          active={id === activeId}
          aria-current={id === activeId ? 'true' : undefined}
          onClick={(event) => {
            // The URL keeps its fragment: to the router another one would be a navigation.
            event.preventDefault()
            scrollToSection(id)
            setActiveId(id)
          }}
        />
      ))}
    </nav>
  )
}

function scrollToSection(id: string): void {
  const section = document.getElementById(id)
  section?.scrollIntoView({ block: 'start' })
  const focusTarget = section?.matches('[tabindex]') ? section : section?.querySelector('h2')
  focusTarget?.focus({ preventScroll: true })
}

/** Scrolls to the section that the address names, as soon as it is there. */
export function useScrollToSection(isLoaded: boolean): void {
  const { hash, key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same address can be opened again
  useEffect(() => {
    if (isLoaded && hash !== '') scrollToSection(hash.slice(1))
  }, [isLoaded, hash, key])
}

/** A section counts as in view once its top is at most this many pixels below the top of the scroll area. */
const activationOffset = 120

/**
 * The last section that begins above the activation offset, or the last one of all at the end of the page: Mantine's
 * `useScrollSpy` would never activate a short last section.
 */
function useActiveSection(sections: readonly Section[]) {
  const [activeId, setActiveId] = useState(sections[0]?.id)
  const ids = sections.map(({ id }) => id).join(' ')

  useEffect(() => {
    const scroller = document.getElementById('content')
    if (!scroller) return
    const update = () => {
      const limit = scroller.getBoundingClientRect().top + activationOffset
      const isAtEnd = scroller.scrollTop > 0 && scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 2
      const all = ids.split(' ')
      const started = all.filter((id) => {
        const top = document.getElementById(id)?.getBoundingClientRect().top
        return top !== undefined && top <= limit
      })
      setActiveId(isAtEnd ? all.at(-1) : (started.at(-1) ?? all[0]))
    }
    scroller.addEventListener('scroll', update, { passive: true })
    return () => scroller.removeEventListener('scroll', update)
  }, [ids])
  return [activeId, setActiveId] as const
}
