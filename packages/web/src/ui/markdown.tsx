import ReactMarkdown, { type Options } from 'react-markdown'
import remarkGfm from 'remark-gfm'

const plugins = [remarkGfm]

/** Loaded on demand: the Markdown parser is larger than most screens. */
export default function Markdown(options: Options) {
  return <ReactMarkdown {...options} remarkPlugins={plugins} />
}
