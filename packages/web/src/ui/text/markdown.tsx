import ReactMarkdown, { type Options } from 'react-markdown'
import remarkGfm from 'remark-gfm'

const plugins = [remarkGfm]

/** Wide code and tables scroll sideways, and must do so by keyboard. */
const scrollable: Options['components'] = {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it may scroll
  table: ({ children }) => <table tabIndex={0}>{children}</table>,
}

/** Loaded on demand: the Markdown parser is larger than most screens. */
export default function Markdown({ components, ...options }: Options) {
  return <ReactMarkdown {...options} components={{ ...scrollable, ...components }} remarkPlugins={plugins} />
}
