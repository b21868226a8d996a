import { lazy, Suspense } from 'react'
import classes from './readme.module.css'

const Markdown = lazy(() => import('react-markdown'))

/** Markdown that somebody else wrote: no raw HTML, no pictures from elsewhere, links that open apart and tell nothing. */
export function Readme({ markdown }: { markdown: string }) {
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
            h1: 'h4',
            h2: 'h4',
            h3: 'h4',
          }}
        >
          {markdown}
        </Markdown>
      </Suspense>
    </div>
  )
}
