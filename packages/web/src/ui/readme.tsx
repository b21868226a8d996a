import { lazy, Suspense } from 'react'
import classes from './readme.module.css'

const Markdown = lazy(() => import('react-markdown'))

/** Markdown that somebody else wrote: no raw HTML, no pictures from elsewhere, links that open apart and tell nothing. */
export function Readme({ markdown, headings = 'h3' }: { markdown: string; headings?: 'h2' | 'h3' }) {
  return (
    <div className={classes.readme} dir="auto">
      <Suspense fallback={null}>
        <Markdown
          skipHtml
          disallowedElements={['img']}
          components={{
            a: ({ href, children }) => (
              <a href={href} target="_blank" rel="noreferrer noopener nofollow">
                {children}
              </a>
            ),
            h1: headings,
            h2: headings,
            h3: headings,
          }}
        >
          {markdown}
        </Markdown>
      </Suspense>
    </div>
  )
}
