import { Box } from '@mantine/core'
import { Suspense } from 'react'
import prose from '../text/prose.module.css'
import { lazyView } from './lazy-view.tsx'
import classes from './readme.module.css'

const Markdown = lazyView(async () => (await import('../text/markdown.tsx')).default)

/** Untrusted Markdown with GitHub's tables: no raw HTML, no images, links open in a new tab and send no referrer. */
export function Readme({ markdown, headings = 'h3' }: { markdown: string; headings?: 'h2' | 'h3' }) {
  return (
    <Box className={`${prose.prose} ${classes.readme}`} maw="68ch" c="dimmed" fz="compact" lh="1.25rem" dir="auto">
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
    </Box>
  )
}
